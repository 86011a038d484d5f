#pragma once

#include <string>
#include <vector>

#include "chart/roofline_chart.h"
#include "chart/scale.h"

// The roofs of a RooflineChart. All functions are pure.
namespace fib::chart {

struct Roofs {
  std::vector<Roof> bandwidths;
  std::vector<Roof> peaks;
};

// The log scales of intensity (from left to right) and performance.
struct RoofScales {
  const Scale& x;
  const Scale& y;
};

// Those of the chart that have a positive value.
[[nodiscard]] Roofs possible_roofs(const RooflineChart& chart);

// Appends what the axes must hold so that the ridges stand clear of the plot's edges and the peaks' names
// have room above them.
void add_roofs(const Roofs& roofs, std::vector<double>& xs, std::vector<double>& ys);

[[nodiscard]] std::string draw_roofs(const Roofs& roofs, const RoofScales& at);

// Names: of a peak above its right end, of a bandwidth along its slope.
[[nodiscard]] std::string roof_labels(const Roofs& roofs, const RoofScales& at);

}  // namespace fib::chart
