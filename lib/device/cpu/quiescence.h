#pragma once

#include <cstdint>

namespace fib::device::cpu {

// The CPU's counterpart of a device-wide synchronise: waits until no other thread of this process is working,
// so that work left to a thread is inside the timed call or is found out.
struct Quiescence {
  bool quiet = true;                  // false: another thread was still busy after the limit
  std::int64_t last_activity_ns = 0;  // monotonic; when other threads were last seen working, 0 if never
};

// Looks at the CPU time and the states of the other threads of this process. Returns at once when there are
// none; otherwise watches for `window_us` without activity, for at most `limit_ms`.
[[nodiscard]] Quiescence wait_until_quiet(int window_us, int limit_ms);

}  // namespace fib::device::cpu
