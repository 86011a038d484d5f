#pragma once

#include <cstdint>
#include <string>

namespace fib::util {

// Bytes of physical memory.
[[nodiscard]] std::uint64_t physical_memory();

// Cores this process may run on: at least 1.
[[nodiscard]] unsigned usable_cores();

// What the machine calls itself. Empty where the system does not say.
[[nodiscard]] std::string host_name();
// "Debian GNU/Linux 12 (bookworm)", by /etc/os-release.
[[nodiscard]] std::string operating_system();
// "Linux 6.1.0-18-amd64 x86_64".
[[nodiscard]] std::string kernel_release();

}  // namespace fib::util
