#include "util/clock.h"

#include <fmt/format.h>

#include <ctime>

namespace fib::util {
namespace {

struct UtcNow {
  std::tm calendar{};
  long microseconds = 0;
};

UtcNow utc_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  UtcNow result;
  ::gmtime_r(&now.tv_sec, &result.calendar);
  result.microseconds = now.tv_nsec / 1000;
  return result;
}

}  // namespace

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::string utc_timestamp() {
  const auto [t, us] = utc_now();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}+00:00", t.tm_year + 1900, t.tm_mon + 1,
                     t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, us);
}

std::string utc_compact() {
  const auto [t, us] = utc_now();
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}.{:06}Z", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                     t.tm_hour, t.tm_min, t.tm_sec, us);
}

}  // namespace fib::util
