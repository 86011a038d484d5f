#include "util/clock.h"

#include <fmt/format.h>

#include <ctime>
#include <regex>

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

std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  static const std::regex form(
      R"((\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:(Z)|([+-])(\d\d):?(\d\d))?)?)");
  std::match_results<std::string_view::const_iterator> part;
  if (!std::regex_match(text.begin(), text.end(), part, form)) return std::nullopt;
  const auto number = [&](std::size_t i) { return part[i].matched ? std::stoll(part[i].str()) : 0LL; };
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(number(1))),
                                        std::chrono::month(static_cast<unsigned>(number(2))),
                                        std::chrono::day(static_cast<unsigned>(number(3)))};
  if (!day.ok() || number(4) > 23 || number(5) > 59 || number(6) > 60) return std::nullopt;
  std::string fraction = part[7].str();
  fraction.resize(6, '0');
  const std::int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  const std::int64_t offset_minutes = (part[9].str() == "-" ? -1 : 1) * (number(10) * 60 + number(11));
  const std::int64_t minutes = days * 1440 + number(4) * 60 + number(5) - offset_minutes;
  return (minutes * 60 + number(6)) * 1'000'000 + std::stoll(fraction);
}

}  // namespace fib::util
