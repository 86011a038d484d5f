#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chart/chart.h"

namespace fib::chart {

struct Cell {
  Tone tone = Tone::plain;
  std::string text{};  // a few characters; empty: a sign for the tone
  std::string note{};  // more lines of the tooltip
};

// Cells in rows and columns: which solution passed which definition. A row may be shorter than there are
// columns; an empty cell is not drawn.
struct MatrixChart {
  std::string title{};
  std::string subtitle{};
  std::vector<std::string> columns{};
  std::vector<std::string> rows{};
  std::vector<std::vector<std::optional<Cell>>> cells{};  // by row, then column
};

// Cells are rect elements with data-row, data-column (labels) and data-y (tone). The document gets wider than
// the options say where cells would be narrower than 12 pixels.
[[nodiscard]] std::string to_svg(const MatrixChart& chart, const SvgOptions& options = {});

}  // namespace fib::chart
