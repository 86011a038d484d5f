#pragma once

#include <cstdint>

namespace fib::util {

// Bytes of physical memory.
[[nodiscard]] std::uint64_t physical_memory();

// Cores this process may run on: at least 1.
[[nodiscard]] unsigned usable_cores();

}  // namespace fib::util
