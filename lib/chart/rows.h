#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chart/chart.h"
#include "chart/frame.h"

// Charts of one row for each label over a horizontal axis: bars, boxes. Pure.
namespace fib::chart {

struct Row {
  std::string label;
  std::string text;  // right of what is drawn
  std::string href;
  std::vector<double> values;  // that the axis must hold; those that can be shown
};

struct Rows {
  Caption caption;
  Axis axis;
  const std::optional<Reference>& reference;
  std::vector<Row> rows;
  std::size_t left_out = 0;  // values that cannot be shown
  bool from_base = false;    // drawn from a base: 0, or on log axes the reference or the low end
  // Markup of a row that has values, around the vertical pixel `middle`.
  std::function<std::string(std::size_t row, const Scale& scale, double base, double middle)> draw;
};

[[nodiscard]] std::string rows_svg(const Rows& rows, const SvgOptions& options);

}  // namespace fib::chart
