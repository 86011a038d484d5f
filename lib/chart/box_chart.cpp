#include "chart/box_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chart/markup.h"
#include "chart/number_text.h"
#include "chart/rows.h"
#include "chart/theme.h"

namespace fib::chart {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

std::string tooltip_of(const Box& box, Unit unit) {
  const auto text = [&](double value) { return value_text(value, unit, 4); };
  const Quartiles& values = *box.values;
  return fmt::format("{}: median {}\nmiddle half {} to {}\nall {} to {} ({}){}{}", box.label,
                     text(values.median), text(values.q25), text(values.q75), text(values.low),
                     text(values.high), values.count, box.note.empty() ? "" : "\n", box.note);
}

std::string strip(const Box& box, Unit unit, const Scale& scale, double middle) {
  const Quartiles& values = *box.values;
  const double left = scale.at(values.q25);
  const std::string y = pixels(middle);
  const std::string marks =
      title_element(tooltip_of(box, unit)) +
      element(
          "path",
          {{"class", "l"},
           {"d", fmt::format("M{} {}H{}", pixels(scale.at(values.low)), y, pixels(scale.at(values.high)))}}) +
      element("rect", {{"class", "x"},
                       {"x", pixels(left)},
                       {"y", pixels(middle - 6)},
                       {"width", pixels(std::max(1.0, scale.at(values.q75) - left))},
                       {"height", "12"},
                       {"rx", "1.5"}}) +
      element("path", {{"class", "m"},
                       {"d", fmt::format("M{} {}v14", pixels(scale.at(values.median)), pixels(middle - 7))}});
  return element("g",
                 {{"class", box.colour ? series_class(*box.colour) : std::string(tone_class(box.tone))},
                  {"data-x", box.label},
                  {"data-y", exact_text(values.median)},
                  {"data-low", exact_text(values.low)},
                  {"data-q25", exact_text(values.q25)},
                  {"data-q75", exact_text(values.q75)},
                  {"data-high", exact_text(values.high)}},
                 marks);
}

bool can_show_all(const Quartiles& values, Spacing spacing) {
  const auto all = {values.low, values.q25, values.median, values.q75, values.high};
  return std::all_of(all.begin(), all.end(), [&](double value) { return can_show(value, spacing); });
}

Row row_of(const Box& box, const Axis& axis) {
  Row row{box.label, box.text, box.href, {}};
  if (!box.values) return row;
  if (row.text.empty()) row.text = value_text(box.values->median, axis.unit);
  if (can_show_all(*box.values, axis.spacing)) row.values = {box.values->low, box.values->high};
  return row;
}

}  // namespace

std::optional<Quartiles> quartiles_of(std::vector<double> values, Spacing spacing) {
  const std::size_t all = values.size();
  std::erase_if(values, [&](double value) { return !can_show(value, spacing); });
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Quartiles{values.front(), quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75),
                   values.back(),  values.size(),          all - values.size()};
}

std::string to_svg(const BoxChart& chart, const SvgOptions& options) {
  Rows rows{{chart.title, chart.subtitle}, chart.value, chart.reference, {}, 0, false, {}};
  for (const Box& box : chart.boxes) {
    rows.rows.push_back(row_of(box, chart.value));
    if (!box.values) continue;
    rows.left_out += box.values->left_out + (rows.rows.back().values.empty() ? box.values->count : 0);
  }
  rows.draw = [&](std::size_t row, const Scale& scale, double, double middle) {
    return strip(chart.boxes[row], chart.value.unit, scale, middle);
  };
  return rows_svg(rows, options);
}

}  // namespace fib::chart
