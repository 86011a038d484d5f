#include "chart/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chart/markup.h"
#include "chart/number_text.h"
#include "chart/rows.h"
#include "chart/theme.h"

namespace fib::chart {
namespace {

constexpr double kHeight = 14;

std::string tooltip_of(const Bar& bar, Unit unit) {
  return fmt::format("{}: {}{}{}", bar.label, value_text(*bar.value, unit, 4), bar.note.empty() ? "" : "\n",
                     bar.note);
}

std::string rectangle(const Bar& bar, Unit unit, const Scale& scale, double base, double middle) {
  const double end = scale.at(*bar.value);
  return element("rect",
                 {{"class", fmt::format("b {}", tone_class(bar.tone))},
                  {"x", pixels(std::min(base, end))},
                  {"y", pixels(middle - kHeight / 2)},
                  {"width", pixels(std::max(1.0, std::abs(end - base)))},  // no length is seen too
                  {"height", pixels(kHeight)},
                  {"rx", "1.5"},
                  {"data-x", bar.label},
                  {"data-y", exact_text(*bar.value)}},
                 title_element(tooltip_of(bar, unit)));
}

Row row_of(const Bar& bar, const Axis& axis) {
  Row row{bar.label, bar.text, bar.href, {}};
  if (bar.value && row.text.empty()) row.text = value_text(*bar.value, axis.unit);
  if (bar.value && can_show(*bar.value, axis.spacing)) row.values.push_back(*bar.value);
  return row;
}

}  // namespace

std::string to_svg(const BarChart& chart, const SvgOptions& options) {
  Rows rows{{chart.title, chart.subtitle}, chart.value, chart.reference, {}, 0, true, {}};
  for (const Bar& bar : chart.bars) {
    rows.rows.push_back(row_of(bar, chart.value));
    if (bar.value && rows.rows.back().values.empty()) ++rows.left_out;
  }
  rows.draw = [&](std::size_t row, const Scale& scale, double base, double middle) {
    return rectangle(chart.bars[row], chart.value.unit, scale, base, middle);
  };
  return rows_svg(rows, options);
}

}  // namespace fib::chart
