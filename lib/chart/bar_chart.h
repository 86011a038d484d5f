#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chart/chart.h"

namespace fib::chart {

struct Bar {
  std::string label{};            // left of the bar; long ones are cut, <title> has all
  std::optional<double> value{};  // none: only the text is shown
  std::string text{};             // right of the bar; empty: the value
  std::string href{};             // the row is a link: http, https or relative; others are dropped
  std::string note{};             // more lines of the tooltip
  Tone tone = Tone::plain;
};

// Horizontal bars, one a row. They begin at 0 on a linear axis; on a log one at the reference, else at the
// low end.
struct BarChart {
  std::string title{};
  std::string subtitle{};
  Axis value{};
  std::vector<Bar> bars{};
  std::optional<Reference> reference{};
};

// Bars are rect elements with data-x (label) and data-y (value).
[[nodiscard]] std::string to_svg(const BarChart& chart, const SvgOptions& options = {});

}  // namespace fib::chart
