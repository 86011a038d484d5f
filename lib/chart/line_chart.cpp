#include "chart/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "chart/category_axis.h"
#include "chart/frame.h"
#include "chart/line_points.h"
#include "chart/marks.h"
#include "chart/markup.h"
#include "chart/number_text.h"
#include "chart/text_width.h"
#include "chart/theme.h"

namespace fib::chart {
namespace {

constexpr std::size_t kMostTooltipsOfLine = 400;
constexpr std::size_t kMostShapes = 400;
constexpr double kFailedLane = 26;   // for crosses, between the axis' low end and its line
constexpr double kFailedHeight = 9;  // of the crosses above the line
constexpr double kCrossWidth = 9;
constexpr double kMostCrossesWidth = 45;  // of all crosses that stand at one place
constexpr std::string_view kFailed = "failed";
constexpr double kFootHeight = 40;  // tick labels and the axis' title

class LineDrawing {
 public:
  LineDrawing(const LineChart& chart, const SvgOptions& options) : chart_(chart), options_(options) {
    for (const Series& series : chart.series) {
      for (const Point& point : series.points) take(point);
    }
  }

  [[nodiscard]] std::string draw() {
    const Caption caption{chart_.title, chart_.subtitle};
    const std::string note = left_out_note(chart_, left_out_);
    if (shown_ == 0) return empty_document(caption, note, options_);
    const Block top = header(caption, options_);
    const Block names = legend(legend_items(), kMargin, options_.width - kMargin, top.height, style());
    place_plot(top.height + names.height, note);
    place_lines();
    const std::string body = top.markup + names.markup + axes() + series() + reference_labels() + foot(note);
    return svg_document(caption, description(), height_, body, options_);
  }

 private:
  void take(const Point& point) {
    if (is_left_out(chart_, point)) ++left_out_;
    if (!is_drawn(chart_, point)) return;
    ++shown_;
    any_failed_ = any_failed_ || point.failed;
    xs_.push_back(point.x);
    if (!has_y(chart_, point)) return;
    ys_.push_back(*point.y);
    if (point.low && point.high) ys_.insert(ys_.end(), {*point.low, *point.high});
  }

  [[nodiscard]] MarkerStyle style() const {
    if (!chart_.markers) return MarkerStyle::hidden;
    return shown_ > kMostShapes ? MarkerStyle::dots : MarkerStyle::shapes;
  }

  [[nodiscard]] std::vector<LegendItem> legend_items() const {
    std::vector<LegendItem> items;
    for (std::size_t i = 0; i < chart_.series.size(); ++i)
      items.push_back({chart_.series[i].name, chart_.series[i].colour.value_or(i), true});
    if (items.size() == 1 && (items[0].name.empty() || items[0].name == chart_.title)) items.clear();
    return items;
  }

  void place_plot(double top, const std::string& note) {
    plot_.top = top + (chart_.y.title.empty() ? 8 : 24);
    plot_.bottom = top + std::max(chart_.height, 120.0) - kFootHeight;
    height_ = plot_.bottom + (chart_.x.title.empty() ? 24 : kFootHeight) + second_line() +
              (note.empty() ? 4 : kLineHeight);
    place_y();
    place_x();
  }

  // The height of the labels' second lines.
  [[nodiscard]] double second_line() const {
    const auto has_second = [](const Category& category) { return !category.second.empty(); };
    return std::any_of(chart_.categories.begin(), chart_.categories.end(), has_second) ? kLineHeight : 0;
  }

  void place_y() {
    for (const Reference& reference : chart_.y_lines) ys_.push_back(reference.value);
    const double low_end = plot_.bottom - (any_failed_ ? kFailedLane : 0);
    y_ = {chart_.y.spacing, axis_range(ys_, chart_.y, 7), low_end, plot_.top};
    const auto most = static_cast<std::size_t>(std::max(2.0, (low_end - plot_.top) / 20));
    y_ticks_ = ticks_of(y_.domain, y_.spacing, chart_.y.unit, most);
    const double failed = any_failed_ ? text_width(kFailed, kNoteSize) : 0;
    plot_.left = kMargin + std::max(failed, widest_label(y_ticks_)) + 8;
    plot_.right = options_.width - kMargin - 14;
  }

  void place_x() {
    if (chart_.categories.empty()) {
      for (const Reference& reference : chart_.x_lines) xs_.push_back(reference.value);
      x_ = {chart_.x.spacing, axis_range(xs_, chart_.x, 9), plot_.left, plot_.right};
      x_ticks_ = fitting_ticks(x_, chart_.x.unit, 16);
      return;
    }
    const auto count = static_cast<double>(chart_.categories.size());
    x_ = {Spacing::linear, {-0.5, count - 0.5}, plot_.left, plot_.right};
    x_ticks_ = category_ticks(chart_.categories, x_, options_.width);
  }

  void place_lines() {
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      Line line{chart_.series[i].name, chart_.series[i].colour.value_or(i), {}, true, chart_.steps};
      auto points = chart_.series[i].points;
      std::stable_sort(points.begin(), points.end(),
                       [](const Point& a, const Point& b) { return a.x < b.x; });
      for (const Point& point : points) line.points.push_back(place(chart_.series[i], point));
      lines_.push_back(std::move(line));
    }
    spread_failures();
  }

  // Crosses of series that failed at the same place stand beside each other, in the order of the series, and
  // nearer to each other than to those of the next place.
  void spread_failures() {
    std::map<long, std::vector<Placed*>> by_place;  // tenths of a pixel
    for (Line& line : lines_) {
      for (Placed& point : line.points) {
        if (point.failed && point.y) by_place[std::lround(10 * point.x)].push_back(&point);
      }
    }
    double most = kMostCrossesWidth;
    for (auto place = by_place.begin(); place != by_place.end() && std::next(place) != by_place.end();
         ++place)
      most = std::min(most, 0.06 * static_cast<double>(std::next(place)->first - place->first));
    for (const auto& [x, points] : by_place) {
      const auto count = static_cast<double>(points.size());
      const double step = std::min(kCrossWidth, most / count);
      const double width = step * (count - 1);
      double left = std::min(points.front()->x - width / 2, plot_.right - width);
      left = std::max(left, plot_.left);
      for (std::size_t i = 0; i < points.size(); ++i) points[i]->x = left + step * static_cast<double>(i);
    }
  }

  [[nodiscard]] Placed place(const Series& series, const Point& point) const {
    Placed placed;
    if (!is_drawn(chart_, point)) return placed;
    placed.x = x_.at(point.x);
    placed.y = point.failed ? plot_.bottom - kFailedHeight : y_.at(*point.y);
    placed.failed = point.failed;
    placed.flagged = point.flagged;
    placed.changed = point.changed;
    placed.data_x = x_data(chart_, point);
    if (point.y) placed.data_y = exact_text(*point.y);
    if (shown_ <= kMostTooltipsOfLine) placed.tooltip = tooltip(chart_, series, point);
    const auto bound = [&](const std::optional<double>& value) {
      return value && can_show(*value, y_.spacing) ? std::optional(y_.at(*value)) : std::nullopt;
    };
    placed.band_bottom = bound(point.low);
    placed.band_top = bound(point.high);
    return placed;
  }

  [[nodiscard]] std::string axes() const {
    std::string markup = y_axis(y_, y_ticks_, plot_) + bottom_axis() + bottom_line(plot_);
    if (!chart_.y.title.empty())
      markup += label(chart_.y.title, kMargin, plot_.top - 11, options_.width - 2 * kMargin, "");
    if (any_failed_) {
      const double y = plot_.bottom - kFailedHeight + 4;
      markup += label(kFailed, plot_.left - 6, y, plot_.left, "n e", kNoteSize);
    }
    return markup + y_reference_lines(chart_.y_lines, y_, plot_) +
           x_reference_lines(chart_.x_lines, x_, plot_);
  }

  [[nodiscard]] std::string bottom_axis() const {
    if (chart_.categories.empty()) return x_axis(x_, x_ticks_, plot_);
    return category_axis(chart_.categories, x_, x_ticks_, plot_, options_.width);
  }

  [[nodiscard]] std::string reference_labels() const {
    const auto spots = chart_.y_lines.empty() ? std::vector<Spot>{} : spots_of(lines_);
    return y_reference_labels(chart_.y_lines, y_, plot_, spots) +
           x_reference_labels(chart_.x_lines, x_, plot_);
  }

  [[nodiscard]] std::string series() const {
    std::string flagged;  // drawn above all others
    std::string coloured;
    std::string grey;  // drawn below the coloured ones
    for (const Line& line : lines_) {
      const bool is_flagged = std::any_of(line.points.begin(), line.points.end(),
                                          [](const Placed& point) { return point.flagged; });
      (is_flagged ? flagged : line.index < kColours ? coloured : grey) += draw_line(line, style());
    }
    return grey + coloured + flagged;
  }

  [[nodiscard]] std::string foot(const std::string& note) const {
    std::string markup;
    const double y = plot_.bottom + (chart_.x.title.empty() ? 16 : 34) + second_line();
    if (!chart_.x.title.empty())
      markup += label(chart_.x.title, (plot_.left + plot_.right) / 2, y, plot_.right - plot_.left, "c");
    if (!note.empty()) markup += label(note, kMargin, y + 18, options_.width - 2 * kMargin, "n", kNoteSize);
    return markup;
  }

  [[nodiscard]] std::string description() const {
    const std::size_t count = chart_.series.size();
    return fmt::format("Line chart of {} series with {} point{}{}{}.", count, shown_, shown_ == 1 ? "" : "s",
                       chart_.x.title.empty() ? "" : "; x: " + chart_.x.title,
                       chart_.y.title.empty() ? "" : "; y: " + chart_.y.title);
  }

  const LineChart& chart_;
  const SvgOptions& options_;
  std::vector<double> xs_;
  std::vector<double> ys_;
  std::size_t shown_ = 0;
  std::size_t left_out_ = 0;
  bool any_failed_ = false;
  Plot plot_;
  Scale x_;
  Scale y_;
  std::vector<Tick> x_ticks_;
  std::vector<Tick> y_ticks_;
  std::vector<Line> lines_;
  double height_ = 0;
};

}  // namespace

std::string to_svg(const LineChart& chart, const SvgOptions& options) {
  return LineDrawing(chart, options).draw();
}

}  // namespace fib::chart
