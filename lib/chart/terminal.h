#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chart/bar_chart.h"
#include "chart/histogram.h"
#include "chart/line_chart.h"
#include "present/table.h"

// Charts as lines of text for a terminal. All functions are pure. Lines are at most style.width columns wide
// (0: 100) as long as it is at least 40, and end with a newline; a chart's title is not printed. Escape codes
// for colours are written only with style.bold. Without data the text is "no data".
namespace fib::chart {

// A bar a row in eighths of a column, label left and text right. On a log axis bars begin at the axis' low
// end. Failed bars (Tone::bad) are red, good ones green, warnings yellow.
[[nodiscard]] std::string bars_text(const BarChart& chart, const present::TextStyle& style);

// A bin a row: from, to, bar, count.
[[nodiscard]] std::string histogram_text(const Histogram& chart, const present::TextStyle& style);

// A plot of `height` (at least 3) lines with a letter for each series and a list of the letters below; "*" is
// a place of several. Failed points are "✗" in the lowest line.
[[nodiscard]] std::string lines_text(const LineChart& chart, const present::TextStyle& style,
                                     std::size_t height = 16);

struct Spark {
  std::optional<double> value{};  // none: missing, "·"
  bool failed = false;            // "✗"
};

// One column for each value, from "▁" at the low end of the scale to "█" at its high end; "▄" where they are
// equal. What the scale cannot show counts as missing. No newline.
[[nodiscard]] std::string sparkline(const std::vector<Spark>& values, Spacing spacing, Range range);

}  // namespace fib::chart
