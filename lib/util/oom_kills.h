#pragma once

#include <cstdint>

namespace fib::util {

// Processes that the kernel has killed for want of memory since it was started, in whatever control group; 0
// where it does not count them.
[[nodiscard]] std::uint64_t oom_kills();

}  // namespace fib::util
