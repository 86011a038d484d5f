#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chart/chart.h"

namespace fib::chart {

struct Point {
  double x = 0;                 // with categories: index of one
  std::optional<double> y{};    // none: missing, the line breaks
  std::optional<double> low{};  // of the band around the line; drawn where both are given
  std::optional<double> high{};
  bool failed = false;   // a cross at the bottom, whatever y is; the line breaks
  std::string note{};    // more lines of the tooltip
  bool flagged = false;  // something is to be seen here: a triangle in place of the marker, above all lines
  bool changed = false;  // what is shown is another since the point before: a ring around the marker
};

struct Series {
  std::string name{};
  std::vector<Point> points{};  // drawn in the order of x
  std::optional<std::size_t>
      colour{};  // its place among colours and markers; nothing: its place in the chart
};

struct Category {
  std::string label{};   // "run 12"; where they do not fit only every second, third, ... is written
  std::string note{};    // more lines of its points' tooltips
  std::string second{};  // of the label, a second line

  [[nodiscard]] std::string whole_label() const { return second.empty() ? label : label + " " + second; }
};

// Lines over a numeric axis, or over categories. The first ten colours are apart and have markers of their
// own, all others are thin and grey.
struct LineChart {
  std::string title{};
  std::string subtitle{};
  Axis x{};
  Axis y{};
  std::vector<Category> categories{};  // when not empty, the x axis
  std::vector<Series> series{};
  std::vector<Reference> x_lines{};
  std::vector<Reference> y_lines{};
  bool steps = false;   // y holds until the next x
  bool markers = true;  // false: points are still there, but cannot be seen before the pointer is on them
  double height = 340;  // of the whole chart without its legend, in pixels
};

// Each series is a group with data-series; each of its points an element with data-x and data-y, and
// data-failed="1" when it failed. Points without y are not drawn. Up to 400 points have tooltips.
[[nodiscard]] std::string to_svg(const LineChart& chart, const SvgOptions& options = {});

}  // namespace fib::chart
