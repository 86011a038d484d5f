#include "util/clock.h"

#include <fmt/format.h>

#include <chrono>
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

// A time as text, read from left to right. By hand, since reports and tables read one of every trace several
// times, and a regular expression takes longer than all else of it.
class TimeText {
 public:
  explicit TimeText(std::string_view text) : rest_(text) {}

  bool takes(char letter) {
    if (rest_.empty() || rest_.front() != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char letter) { failed_ = !takes(letter) || failed_; }

  std::int64_t number(std::size_t digits) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) value = 10 * value + digit();
    return value;
  }
  // One to nine digits of a fraction of a second, of which six count.
  std::int64_t microseconds() {
    std::int64_t value = digit();
    for (std::size_t i = 1; i < 9; ++i) {
      const bool is_there = !rest_.empty() && is_digit(rest_.front());
      if (i >= 6 && !is_there) break;
      const std::int64_t next = is_there ? digit() : 0;
      if (i < 6) value = 10 * value + next;
    }
    return value;
  }

  // Whether there was nothing that should not be, and is nothing more.
  [[nodiscard]] bool is_read() const { return !failed_ && rest_.empty(); }

 private:
  static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
  std::int64_t digit() {
    if (rest_.empty() || !is_digit(rest_.front())) {
      failed_ = true;
      return 0;
    }
    const std::int64_t value = rest_.front() - '0';
    rest_.remove_prefix(1);
    return value;
  }

  std::string_view rest_;
  bool failed_ = false;
};

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
  TimeText rest(text);
  const std::int64_t year = rest.number(4);
  rest.expect('-');
  const std::int64_t month = rest.number(2);
  rest.expect('-');
  const std::int64_t day_of_month = rest.number(2);
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t microseconds = 0;
  std::int64_t offset_minutes = 0;
  if (rest.takes('T') || rest.takes(' ')) {
    hour = rest.number(2);
    rest.expect(':');
    minute = rest.number(2);
    if (rest.takes(':')) {
      second = rest.number(2);
      if (rest.takes('.')) microseconds = rest.microseconds();
    }
    const bool behind = rest.takes('-');
    if (behind || rest.takes('+')) {
      offset_minutes = 60 * rest.number(2);
      (void)rest.takes(':');
      offset_minutes += rest.number(2);
      if (behind) offset_minutes = -offset_minutes;
    } else {
      (void)rest.takes('Z');
    }
  }
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(year)),
                                        std::chrono::month(static_cast<unsigned>(month)),
                                        std::chrono::day(static_cast<unsigned>(day_of_month))};
  if (!rest.is_read() || !day.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  const std::int64_t minutes = days * 1440 + hour * 60 + minute - offset_minutes;
  return (minutes * 60 + second) * 1'000'000 + microseconds;
}

std::int64_t now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

std::optional<std::int64_t> parse_past_timestamp(std::string_view text) {
  constexpr std::int64_t kMinuteUs = std::int64_t{60} * 1'000'000;
  const auto time = parse_timestamp(text);
  if (!time) return std::nullopt;
  // "Z", "+02:00": behind the date, where "-" stands between numbers.
  const bool has_zone =
      text.ends_with('Z') ||
      text.find_first_of("+-", std::string_view("2026-01-01").size()) != std::string_view::npos;
  const auto latest = now_us() + (has_zone ? 10 : 15 * 60) * kMinuteUs;
  return *time <= latest ? time : std::nullopt;
}

}  // namespace fib::util
