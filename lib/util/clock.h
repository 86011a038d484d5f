#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace fib::util {

using SteadyTime = std::chrono::steady_clock::time_point;

// Nanoseconds of CLOCK_MONOTONIC.
[[nodiscard]] std::int64_t monotonic_ns();

// Now in UTC as ISO 8601 with microseconds and offset: "2026-03-17T14:18:19.827915+00:00".
[[nodiscard]] std::string utc_timestamp();

// Now in UTC for file names and run ids, with microseconds and no characters that file systems mind:
// "20260317T141819.827915Z".
[[nodiscard]] std::string utc_compact();

}  // namespace fib::util
