#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fib::util {

// Bytes of physical memory.
[[nodiscard]] std::uint64_t physical_memory();

// Cores this process may run on: at least 1.
[[nodiscard]] unsigned usable_cores();

// How busy the machine is.
struct MachineLoad {
  double average = 0;  // runnable processes, over one minute
  unsigned cores = 0;  // of the machine, also those that this process may not run on
};

// Nothing where the system does not say.
[[nodiscard]] std::optional<MachineLoad> machine_load();

// What the machine calls itself. Empty where the system does not say.
[[nodiscard]] std::string host_name();
// "Debian GNU/Linux 12 (bookworm)", by /etc/os-release.
[[nodiscard]] std::string operating_system();
// "Linux 6.1.0-18-amd64 x86_64".
[[nodiscard]] std::string kernel_release();

}  // namespace fib::util
