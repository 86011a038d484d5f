#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chart/chart.h"

namespace fib::chart {

// Five numbers of a distribution, in ascending order.
struct Quartiles {
  double low = 0;
  double q25 = 0;
  double median = 0;
  double q75 = 0;
  double high = 0;
  std::size_t count = 0;     // of values
  std::size_t left_out = 0;  // values that the axis cannot show
};

// Of the values that an axis of this spacing can show; quantiles are interpolated linearly (type 7 of Hyndman
// and Fan, "Sample Quantiles in Statistical Packages", 1996). None when there is no such value.
[[nodiscard]] std::optional<Quartiles> quartiles_of(std::vector<double> values, Spacing spacing);

struct Box {
  std::string label{};
  std::optional<Quartiles> values{};  // none: only the text is shown
  std::string text{};                 // right of the box; empty: the median
  std::string href{};                 // as of a Bar
  std::string note{};
  Tone tone = Tone::plain;
  std::optional<std::size_t> colour{};  // that of a series; nothing: that of its tone
};

// One strip a row: a thin line from the lowest to the highest value, a box for the middle half, a mark at the
// median.
struct BoxChart {
  std::string title{};
  std::string subtitle{};
  Axis value{};
  std::vector<Box> boxes{};
  std::optional<Reference> reference{};
};

// Each row is a group with data-x (label) and data-y (median); data-low, data-q25, data-q75, data-high.
[[nodiscard]] std::string to_svg(const BoxChart& chart, const SvgOptions& options = {});

}  // namespace fib::chart
