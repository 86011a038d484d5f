#include "chart/line_points.h"

#include <fmt/format.h>

#include "chart/frame.h"
#include "chart/number_text.h"

namespace fib::chart {
namespace {

const Category* category_of(const LineChart& chart, const Point& point) {
  return chart.categories.empty() ? nullptr : &chart.categories[static_cast<std::size_t>(point.x)];
}

std::string with_note(const std::string& text, const std::string& note) {
  return note.empty() ? text : text + "\n" + note;
}

}  // namespace

bool has_x(const LineChart& chart, const Point& point) {
  if (chart.categories.empty()) return can_show(point.x, chart.x.spacing);
  return point.x >= 0 && point.x < static_cast<double>(chart.categories.size());
}

bool has_y(const LineChart& chart, const Point& point) {
  return point.y && !point.failed && can_show(*point.y, chart.y.spacing);
}

bool is_drawn(const LineChart& chart, const Point& point) {
  return has_x(chart, point) && (point.failed || has_y(chart, point));
}

bool is_left_out(const LineChart& chart, const Point& point) {
  return (point.y || point.failed) && !is_drawn(chart, point);
}

std::string left_out_note(const LineChart& chart, std::size_t count) {
  return left_out_note(count, chart.x.spacing != Spacing::linear || chart.y.spacing != Spacing::linear);
}

std::string x_data(const LineChart& chart, const Point& point) {
  const Category* category = category_of(chart, point);
  return category == nullptr ? exact_text(point.x) : category->whole_label();
}

std::string tooltip(const LineChart& chart, const Series& series, const Point& point) {
  const Category* category = category_of(chart, point);
  const std::string x = category == nullptr ? value_text(point.x, chart.x.unit, 5) : category->whole_label();
  const std::string y = point.failed ? "failed" : value_text(*point.y, chart.y.unit, 4);
  const std::string text = fmt::format("{}{}{} → {}", series.name, series.name.empty() ? "" : ": ", x, y);
  return with_note(with_note(text, point.note), category == nullptr ? "" : category->note);
}

}  // namespace fib::chart
