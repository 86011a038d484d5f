#pragma once

#include <optional>
#include <string>

#include "dataset/speedup.h"
#include "present/table.h"

namespace fib::report {

// A speedup for people: as `format` writes the number, or "31.2–38.4" with three digits each where the range
// is wide, with an "x" where times_text() writes one. Pure.
[[nodiscard]] std::string speedup_text(double speedup, const std::optional<dataset::SpeedupRange>& range,
                                       std::string (*format)(double));

// How `format` writes a speedup where two decimals are enough: "2.31", "2.31x".
[[nodiscard]] std::string two_digits(double speedup);

// How to write a speedup whose latency has this interval (a share of it, as evaluation.fib.interval): "15",
// "7.0" or "0.16" where that is 10 % or more, else as two_digits(). Pure.
using Digits = std::string (*)(double);
[[nodiscard]] Digits digits_for(std::optional<double> interval);
[[nodiscard]] std::string times_text(double speedup);

// How far the winner, whose latency has this interval, is ahead of the next one: "1.52x", below kSmallLead a
// percentage, "1.4%", or "less than 0.1%". Pure.
inline constexpr double kSmallLead = 1.1;
[[nodiscard]] std::string lead_text(double lead, std::optional<double> interval);

// A speedup as a cell; its value is the number. "-" where there is none.
[[nodiscard]] present::Cell speedup_cell(const std::optional<double>& speedup,
                                         const std::optional<dataset::SpeedupRange>& range,
                                         std::string (*format)(double));

// For programs: columns `key`_low and `key`_high, and their cells; null where no range is known.
[[nodiscard]] std::vector<present::Column> range_columns(const std::string& key);
[[nodiscard]] std::vector<present::Cell> range_cells(const std::optional<dataset::SpeedupRange>& range);

}  // namespace fib::report
