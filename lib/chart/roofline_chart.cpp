#include "chart/roofline_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "chart/frame.h"
#include "chart/marks.h"
#include "chart/markup.h"
#include "chart/number_text.h"
#include "chart/roofs.h"
#include "chart/theme.h"
#include "present/text.h"

namespace fib::chart {
namespace {

constexpr std::size_t kMostPointsWithTooltips = 400;

bool is_shown(const RooflinePoint& point) {
  return can_show(point.intensity, Spacing::log) && can_show(point.performance, Spacing::log);
}

class RooflineDrawing {
 public:
  RooflineDrawing(const RooflineChart& chart, const SvgOptions& options)
      : chart_(chart), options_(options), roofs_(possible_roofs(chart)) {
    for (const RooflineSeries& series : chart.series) {
      for (const RooflinePoint& point : series.points) ++(is_shown(point) ? shown_ : left_out_);
    }
  }

  [[nodiscard]] std::string draw() {
    const Caption caption{chart_.title, chart_.subtitle};
    const std::string note = left_out_note(left_out_, true);
    if (shown_ == 0 && (roofs_.bandwidths.empty() || roofs_.peaks.empty()))
      return empty_document(caption, note, options_);
    const Block top = header(caption, options_);
    const Block names = legend(legend_items(), kMargin, options_.width - kMargin, top.height, style());
    place(top.height + names.height);
    const std::string body = top.markup + names.markup + axes() + draw_roofs(roofs_, {x_, y_}) + series() +
                             roof_labels(roofs_, {x_, y_}) + foot(note);
    return svg_document(caption, description(), plot_.bottom + 44 + (note.empty() ? 0 : kLineHeight), body,
                        options_);
  }

 private:
  [[nodiscard]] MarkerStyle style() const {
    return shown_ > kMostPointsWithTooltips ? MarkerStyle::dots : MarkerStyle::shapes;
  }

  [[nodiscard]] std::vector<LegendItem> legend_items() const {
    std::vector<LegendItem> items;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) items.push_back({chart_.series[i].name, i, false});
    return items;
  }

  void place(double top) {
    std::vector<double> xs;
    std::vector<double> ys = {};
    for (const RooflineSeries& series : chart_.series) {
      for (const RooflinePoint& point : series.points) {
        if (!is_shown(point)) continue;
        xs.push_back(point.intensity);
        ys.push_back(point.performance);
      }
    }
    add_roofs(roofs_, xs, ys);
    plot_.top = top + 24;
    plot_.bottom = top + chart_.height - 40;
    const Axis log{.title = "", .spacing = Spacing::log, .low = {}, .high = {}};
    y_ = {Spacing::log, axis_range(ys, log, 7), plot_.bottom, plot_.top};
    y_ticks_ = ticks_of(y_.domain, Spacing::log, Unit::number,
                        static_cast<std::size_t>((plot_.bottom - plot_.top) / 24));
    plot_.left = kMargin + widest_label(y_ticks_) + 8;
    plot_.right = options_.width - kMargin - 14;
    x_ = {Spacing::log, axis_range(xs, log, 9), plot_.left, plot_.right};
    x_ticks_ = fitting_ticks(x_, Unit::number, 12);
  }

  [[nodiscard]] std::string axes() const {
    return y_axis(y_, y_ticks_, plot_) + x_axis(x_, x_ticks_, plot_) + bottom_line(plot_) +
           label("performance (flop/s)", kMargin, plot_.top - 11, options_.width, "") +
           label("arithmetic intensity (flop/byte)", (plot_.left + plot_.right) / 2, plot_.bottom + 34,
                 options_.width, "c");
  }

  [[nodiscard]] std::string series() const {
    std::string coloured;
    std::string grey;  // drawn below the coloured ones
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      Line line{chart_.series[i].name, i, {}, false, false};
      for (const RooflinePoint& point : chart_.series[i].points) {
        if (is_shown(point)) line.points.push_back(placed(chart_.series[i], point));
      }
      (i < kColours ? coloured : grey) += draw_line(line, style());
    }
    return grey + coloured;
  }

  [[nodiscard]] Placed placed(const RooflineSeries& series, const RooflinePoint& point) const {
    Placed placed;
    placed.x = x_.at(point.intensity);
    placed.y = y_.at(point.performance);
    placed.data_x = exact_text(point.intensity);
    placed.data_y = exact_text(point.performance);
    if (shown_ > kMostPointsWithTooltips) return placed;
    placed.tooltip = fmt::format(
        "{}: {} flop/byte → {}flop/s{}{}", series.name, value_text(point.intensity, Unit::number, 4),
        spaced(value_text(point.performance, Unit::number, 4)), point.note.empty() ? "" : "\n", point.note);
    return placed;
  }

  // "12.3 T", so that the prefix stands at the unit.
  static std::string spaced(std::string number) {
    const bool prefixed = std::isalpha(static_cast<unsigned char>(number.back())) != 0;
    return prefixed ? number.insert(number.size() - 1, " ") : number + " ";
  }

  [[nodiscard]] std::string foot(const std::string& note) const {
    return note.empty() ? "" : label(note, kMargin, plot_.bottom + 52, options_.width, "n", kNoteSize);
  }

  [[nodiscard]] std::string description() const {
    return fmt::format("Roofline with {}, {} and {}.", present::plural(roofs_.bandwidths.size(), "bandwidth"),
                       present::plural(roofs_.peaks.size(), "peak"), present::plural(shown_, "point"));
  }

  const RooflineChart& chart_;
  const SvgOptions& options_;
  Roofs roofs_;
  std::size_t shown_ = 0;
  std::size_t left_out_ = 0;
  Plot plot_;
  Scale x_;
  Scale y_;
  std::vector<Tick> x_ticks_;
  std::vector<Tick> y_ticks_;
};

}  // namespace

std::string to_svg(const RooflineChart& chart, const SvgOptions& options) {
  return RooflineDrawing(chart, options).draw();
}

}  // namespace fib::chart
