#include "chart/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "chart/frame.h"
#include "chart/marks.h"
#include "chart/markup.h"
#include "chart/number_text.h"
#include "chart/text_width.h"

namespace fib::chart {
namespace {

constexpr std::size_t kMostTooltips = 400;
constexpr std::size_t kMostShapes = 400;
constexpr double kFailedLane = 18;
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
    const std::string note =
        left_out_note(left_out_, chart_.x.spacing != Spacing::linear || chart_.y.spacing != Spacing::linear);
    if (shown_ == 0) return empty_document(caption, note, options_);
    const Block top = header(caption, options_);
    const Block names = legend(legend_items(), kMargin, options_.width - kMargin, top.height, style());
    place_plot(top.height + names.height, note);
    const std::string body = top.markup + names.markup + axes() + series() + reference_labels() + foot(note);
    return svg_document(caption, description(), height_, body, options_);
  }

 private:
  // Whether a point has its place on the x axis.
  [[nodiscard]] bool has_x(const Point& point) const {
    if (chart_.categories.empty()) return can_show(point.x, chart_.x.spacing);
    return point.x >= 0 && point.x < static_cast<double>(chart_.categories.size());
  }
  [[nodiscard]] bool has_y(const Point& point) const {
    return point.y && !point.failed && can_show(*point.y, chart_.y.spacing);
  }

  void take(const Point& point) {
    const bool is_missing = !point.y && !point.failed;
    const bool is_drawn = has_x(point) && (point.failed || has_y(point));
    if (is_drawn) ++shown_;
    any_failed_ = any_failed_ || (is_drawn && point.failed);
    if (!is_drawn && !is_missing) ++left_out_;
    if (!is_drawn) return;
    xs_.push_back(point.x);
    if (!has_y(point)) return;
    ys_.push_back(*point.y);
    if (point.low && point.high) ys_.insert(ys_.end(), {*point.low, *point.high});
  }

  [[nodiscard]] MarkerStyle style() const {
    if (!chart_.markers) return MarkerStyle::hidden;
    return shown_ > kMostShapes ? MarkerStyle::dots : MarkerStyle::shapes;
  }

  [[nodiscard]] std::vector<LegendItem> legend_items() const {
    std::vector<LegendItem> items;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) items.push_back({chart_.series[i].name, i, true});
    if (items.size() == 1 && (items[0].name.empty() || items[0].name == chart_.title)) items.clear();
    return items;
  }

  void place_plot(double top, const std::string& note) {
    const bool has_title = !chart_.y.title.empty();
    plot_.top = top + (has_title ? 24 : 8);
    plot_.bottom = top + chart_.height - kFootHeight;
    height_ = plot_.bottom + (chart_.x.title.empty() ? 24 : kFootHeight) + (note.empty() ? 4 : kLineHeight);
    for (const Reference& reference : chart_.y_lines) ys_.push_back(reference.value);
    for (const Reference& reference : chart_.x_lines) xs_.push_back(reference.value);
    // Crosses have a lane of their own below the axis' low end.
    y_ = {chart_.y.spacing, axis_range(ys_, chart_.y, 7), plot_.bottom - (any_failed_ ? kFailedLane : 0),
          plot_.top};
    y_ticks_ = ticks_of(y_.domain, y_.spacing, chart_.y.unit, most_y_ticks());
    const double failed = any_failed_ ? text_width(kFailed, kNoteSize) : 0;
    plot_.left = kMargin + std::max(failed, widest_label(y_ticks_)) + 8;
    plot_.right = options_.width - kMargin - 14;
    place_x();
  }

  [[nodiscard]] std::size_t most_y_ticks() const {
    return static_cast<std::size_t>(std::max(2.0, (plot_.bottom - plot_.top) / 20));
  }

  void place_x() {
    if (chart_.categories.empty()) {
      x_ = {chart_.x.spacing, axis_range(xs_, chart_.x, 9), plot_.left, plot_.right};
      x_ticks_ = fitting_ticks(x_, chart_.x.unit, 16);
      return;
    }
    const auto count = static_cast<double>(chart_.categories.size());
    x_ = {Spacing::linear, {-0.5, count - 0.5}, plot_.left, plot_.right};
    name_categories();
  }

  // Every category's label, or every second, third, ... so that each has room; the last one always has one.
  void name_categories() {
    constexpr double kLongest = 130;
    const std::size_t count = chart_.categories.size();
    for (std::size_t stride = 1; stride <= count; ++stride) {
      x_ticks_.clear();
      for (std::size_t i = (count - 1) % stride; i < count; i += stride) {
        x_ticks_.push_back(
            {static_cast<double>(i), shorten_to(chart_.categories[i].label, kLongest, kFontSize)});
      }
      if (labels_have_room()) return;
    }
  }

  [[nodiscard]] bool labels_have_room() const {
    double end = 0;
    for (const Tick& tick : x_ticks_) {
      const double half = text_width(tick.label, kFontSize) / 2;
      if (label_middle(tick) - half < end) return false;
      end = label_middle(tick) + half + 12;
    }
    return true;
  }

  // The outermost labels stay inside of the drawing.
  [[nodiscard]] double label_middle(const Tick& tick) const {
    const double half = text_width(tick.label, kFontSize) / 2;
    return std::clamp(x_.at(tick.value), std::min(half + 2, options_.width / 2),
                      std::max(options_.width - half - 2, options_.width / 2));
  }

  [[nodiscard]] std::string axes() const {
    std::string markup = y_axis(y_, y_ticks_, plot_) +
                         (chart_.categories.empty() ? x_axis(x_, x_ticks_, plot_) : categories());
    markup += element(
        "path",
        {{"class", "a"},
         {"d", fmt::format("M{} {}H{}", pixels(plot_.left), pixels(plot_.bottom), pixels(plot_.right))}});
    if (!chart_.y.title.empty())
      markup += label(chart_.y.title, kMargin, plot_.top - 11, options_.width - 2 * kMargin, "");
    if (any_failed_)
      markup +=
          label(kFailed, plot_.left - 6, plot_.bottom - kFailedLane / 2 + 4, plot_.left, "n e", kNoteSize);
    return markup + y_reference_lines(chart_.y_lines, y_, plot_) +
           x_reference_lines(chart_.x_lines, x_, plot_);
  }

  // A mark at the axis for each category that has room for one.
  [[nodiscard]] std::string category_marks() const {
    std::string path;
    const std::size_t count = chart_.categories.size();
    for (std::size_t i = 0; i < count && count <= 150; ++i) {
      path += fmt::format("M{} {}v3", pixels(x_.at(static_cast<double>(i))), pixels(plot_.bottom));
    }
    return path.empty() ? "" : element("path", {{"class", "a"}, {"d", path}});
  }

  // Points, and places on the lines between them.
  [[nodiscard]] std::vector<Spot> spots() const {
    constexpr int kBetween = 8;
    std::vector<Spot> spots;
    for (std::size_t i = 0; i < chart_.series.size() && !chart_.y_lines.empty(); ++i) {
      std::optional<Spot> last;
      for (const Placed& point : placed(chart_.series[i], i).points) {
        if (!point.y) continue;
        const Spot here{point.x, *point.y};
        for (int step = 1; step <= kBetween; ++step) {
          const Spot from = last.value_or(here);
          spots.push_back({std::lerp(from.x, here.x, 1.0 * step / kBetween),
                           std::lerp(from.y, here.y, 1.0 * step / kBetween)});
        }
        last = here;
      }
    }
    return spots;
  }

  [[nodiscard]] std::string reference_labels() const {
    return y_reference_labels(chart_.y_lines, y_, plot_, spots()) +
           x_reference_labels(chart_.x_lines, x_, plot_);
  }

  [[nodiscard]] std::string categories() const {
    std::string markup = category_marks();
    for (const Tick& tick : x_ticks_) {
      const double x = label_middle(tick);
      const Category& category = chart_.categories[static_cast<std::size_t>(tick.value)];
      markup += element("text", {{"class", "c"}, {"x", pixels(x)}, {"y", pixels(plot_.bottom + 16)}},
                        title_element(with_note(category.label, category.note)) + escape_xml(tick.label));
    }
    return markup;
  }

  [[nodiscard]] std::string series() const {
    std::string first;
    std::string grey;  // drawn below the coloured ones
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      (i < 10 ? first : grey) += draw_line(placed(chart_.series[i], i), style());
    }
    return grey + first;
  }

  [[nodiscard]] Line placed(const Series& series, std::size_t index) const {
    Line line{series.name, index, {}, true, chart_.steps};
    auto points = series.points;
    std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    for (const Point& point : points) line.points.push_back(place(series, point));
    return line;
  }

  [[nodiscard]] Placed place(const Series& series, const Point& point) const {
    Placed placed;
    if (!has_x(point) || (!point.failed && !has_y(point))) return placed;
    placed.x = x_.at(point.x);
    placed.y = point.failed ? plot_.bottom - kFailedLane / 2 : y_.at(*point.y);
    placed.failed = point.failed;
    placed.data_x = x_data(point);
    if (point.y) placed.data_y = exact_text(*point.y);
    if (shown_ <= kMostTooltips) placed.tooltip = tooltip(series, point);
    const auto bound = [&](const std::optional<double>& value) {
      return value && can_show(*value, y_.spacing) ? std::optional(y_.at(*value)) : std::nullopt;
    };
    placed.band_bottom = bound(point.low);
    placed.band_top = bound(point.high);
    return placed;
  }

  [[nodiscard]] const Category* category_of(const Point& point) const {
    return chart_.categories.empty() ? nullptr : &chart_.categories[static_cast<std::size_t>(point.x)];
  }

  [[nodiscard]] std::string x_data(const Point& point) const {
    const Category* category = category_of(point);
    return category == nullptr ? exact_text(point.x) : category->label;
  }

  static std::string with_note(const std::string& text, const std::string& note) {
    return note.empty() ? text : text + "\n" + note;
  }

  // "name: 128 → 12.3 µs"
  [[nodiscard]] std::string tooltip(const Series& series, const Point& point) const {
    const Category* category = category_of(point);
    const std::string x = category == nullptr ? value_text(point.x, chart_.x.unit, 5) : category->label;
    const std::string y = point.failed ? "failed" : value_text(*point.y, chart_.y.unit, 4);
    const std::string text = fmt::format("{}{}{} → {}", series.name, series.name.empty() ? "" : ": ", x, y);
    return with_note(with_note(text, point.note), category == nullptr ? "" : category->note);
  }

  [[nodiscard]] std::string foot(const std::string& note) const {
    std::string markup;
    double y = plot_.bottom + (chart_.x.title.empty() ? 16 : 34);
    if (!chart_.x.title.empty())
      markup += label(chart_.x.title, (plot_.left + plot_.right) / 2, y, plot_.right - plot_.left, "c");
    if (!note.empty()) markup += label(note, kMargin, y + 18, options_.width - 2 * kMargin, "n", kNoteSize);
    return markup;
  }

  [[nodiscard]] std::string description() const {
    const std::size_t count = chart_.series.size();
    return fmt::format("Line chart of {} series with {} point{}; x: {}; y: {}.", count, shown_,
                       shown_ == 1 ? "" : "s", chart_.x.title, chart_.y.title);
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
  double height_ = 0;
};

}  // namespace

std::string to_svg(const LineChart& chart, const SvgOptions& options) {
  return LineDrawing(chart, options).draw();
}

}  // namespace fib::chart
