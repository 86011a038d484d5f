#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chart/chart.h"

namespace fib::chart {

// How many values lie in each interval between neighbouring edges. An edge belongs to the bin on its right;
// the last one to the last bin.
struct Bins {
  std::vector<double> edges{};  // ascending, one more than bins; empty without values
  std::vector<std::size_t> counts{};
  std::size_t left_out = 0;  // values that an axis of the spacing cannot show
};

struct BinLimits {
  std::size_t least = 5;
  std::size_t most = 40;
  // Where it lies among the values, one bin ends and the next begins there: there is one bin more then, and
  // the outermost reach beyond the values.
  std::optional<double> edge{};
};

// Bins of equal width (of equal ratio on log axes) from the least value to the greatest. Their width is by
// the rule of Freedman and Diaconis ("On the histogram as a density estimator", 1981): twice the
// interquartile range over the cube root of the number of values; by Sturges' where that range is 0. Equal
// values make one bin.
[[nodiscard]] Bins make_bins(const std::vector<double>& values, Spacing spacing,
                             const BinLimits& limits = {});

struct Histogram {
  std::string title{};
  std::string subtitle{};
  Axis value{};  // its spacing is that of the bins
  Bins bins{};
  std::vector<Reference> markers{};
  std::string count_title = "values";
  double height = 260;
};

// Bins are rect elements with data-x, data-x2 (edges) and data-y (count).
[[nodiscard]] std::string to_svg(const Histogram& chart, const SvgOptions& options = {});

}  // namespace fib::chart
