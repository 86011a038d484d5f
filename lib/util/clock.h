#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fib::util {

using SteadyTime = std::chrono::steady_clock::time_point;

// Nanoseconds of CLOCK_MONOTONIC.
[[nodiscard]] std::int64_t monotonic_ns();

// Nanoseconds as milliseconds.
[[nodiscard]] inline double in_ms(double nanoseconds) { return nanoseconds / 1e6; }
[[nodiscard]] inline double in_ms(std::int64_t nanoseconds) {
  return in_ms(static_cast<double>(nanoseconds));
}

// Now in UTC as ISO 8601 with microseconds and offset: "2026-03-17T14:18:19.827915+00:00".
[[nodiscard]] std::string utc_timestamp();

// Now in UTC for file names and run ids, with microseconds and no characters that file systems mind:
// "20260317T141819.827915Z".
[[nodiscard]] std::string utc_compact();

// Now in UTC, in microseconds since 1970.
[[nodiscard]] std::int64_t now_us();

// Microseconds since 1970 in UTC of an ISO 8601 date and time: "2026-03-17", "2026-03-17T14:18" with seconds
// and up to nine digits of a fraction where wanted, then "Z", "+02:00" or nothing, which is UTC. Nothing for
// any other text.
[[nodiscard]] std::optional<std::int64_t> parse_timestamp(std::string_view text);

// The same of a record, for what is decided by who came last: nothing, too, where it lies after now, by more
// than clocks differ (ten minutes) or, without a time zone, than time zones do (15 hours: other tools write
// their local time). No record was made then, and one that says so would be the last for ever.
[[nodiscard]] std::optional<std::int64_t> parse_past_timestamp(std::string_view text);

}  // namespace fib::util
