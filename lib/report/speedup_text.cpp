#include "report/speedup_text.h"

#include <fmt/format.h>

namespace fib::report {
namespace {

// Three digits, or all before the point.
std::string short_number(double value) {
  return fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

std::string rough_digits(double speedup) {
  return fmt::format("{:.{}f}", speedup, speedup >= 9.95 ? 0 : speedup >= 0.995 ? 1 : 2);
}

present::Cell end_cell(const std::optional<dataset::SpeedupRange>& range,
                       double dataset::SpeedupRange::*end) {
  return range ? present::number_cell((*range).*end, short_number((*range).*end)) : present::no_cell();
}

}  // namespace

std::string two_digits(double speedup) { return fmt::format("{:.2f}", speedup); }

Digits digits_for(std::optional<double> interval) {
  constexpr double kWide = 0.1;
  return interval.value_or(0) >= kWide ? rough_digits : two_digits;
}

std::string lead_text(double lead, std::optional<double> interval) {
  constexpr double kLeastLead = 1.0005;  // below, it would be 0.0%
  if (lead >= kSmallLead) return digits_for(interval)(lead) + "x";
  return lead < kLeastLead ? "less than 0.1%" : fmt::format("{:.1f}%", (lead - 1) * 100);
}

std::string times_text(double speedup) { return two_digits(speedup) + "x"; }

std::string speedup_text(double speedup, const std::optional<dataset::SpeedupRange>& range,
                         std::string (*format)(double)) {
  if (!dataset::is_wide(range, speedup)) return format(speedup);
  return fmt::format("{}–{}{}", short_number(range->low), short_number(range->high),
                     format == times_text ? "x" : "");
}

present::Cell speedup_cell(const std::optional<double>& speedup,
                           const std::optional<dataset::SpeedupRange>& range, std::string (*format)(double)) {
  return speedup ? present::number_cell(*speedup, speedup_text(*speedup, range, format)) : present::no_cell();
}

std::vector<present::Column> range_columns(const std::string& key) {
  return {present::only_for(present::Audience::programs, present::number_column("Low", key + "_low")),
          present::only_for(present::Audience::programs, present::number_column("High", key + "_high"))};
}

std::vector<present::Cell> range_cells(const std::optional<dataset::SpeedupRange>& range) {
  return {end_cell(range, &dataset::SpeedupRange::low), end_cell(range, &dataset::SpeedupRange::high)};
}

}  // namespace fib::report
