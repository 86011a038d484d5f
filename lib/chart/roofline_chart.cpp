#include "chart/roofline_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chart/frame.h"
#include "chart/marks.h"
#include "chart/markup.h"
#include "chart/number_text.h"
#include "chart/text_width.h"
#include "report/text.h"

namespace fib::chart {
namespace {

constexpr std::size_t kMostTooltips = 400;

double highest(const std::vector<Roof>& roofs) {
  double value = 0;
  for (const Roof& roof : roofs) value = std::max(value, roof.value);
  return value;
}

std::vector<Roof> possible(std::vector<Roof> roofs) {
  std::erase_if(roofs, [](const Roof& roof) { return !can_show(roof.value, Spacing::log); });
  return roofs;
}

bool is_shown(const RooflinePoint& point) {
  return can_show(point.intensity, Spacing::log) && can_show(point.performance, Spacing::log);
}

class RooflineDrawing {
 public:
  RooflineDrawing(const RooflineChart& chart, const SvgOptions& options)
      : chart_(chart),
        options_(options),
        bandwidths_(possible(chart.bandwidths)),
        peaks_(possible(chart.peaks)) {
    for (const RooflineSeries& series : chart.series) {
      for (const RooflinePoint& point : series.points) ++(is_shown(point) ? shown_ : left_out_);
    }
  }

  [[nodiscard]] std::string draw() {
    const Caption caption{chart_.title, chart_.subtitle};
    const std::string note = left_out_note(left_out_, true);
    if (shown_ == 0 && (bandwidths_.empty() || peaks_.empty()))
      return empty_document(caption, note, options_);
    const Block top = header(caption, options_);
    const Block names = legend(legend_items(), kMargin, options_.width - kMargin, top.height, style());
    place(top.height + names.height);
    const std::string body =
        top.markup + names.markup + axes() + roofs() + series() + roof_labels() + foot(note);
    return svg_document(caption, description(), plot_.bottom + 44 + (note.empty() ? 0 : kLineHeight), body,
                        options_);
  }

 private:
  [[nodiscard]] MarkerStyle style() const {
    return shown_ > kMostTooltips ? MarkerStyle::dots : MarkerStyle::shapes;
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
    add_roofs(xs, ys);
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

  // The ridges stand clear of the plot's edges, and there is room above the peaks for their names.
  void add_roofs(std::vector<double>& xs, std::vector<double>& ys) const {
    for (const Roof& peak : peaks_) ys.push_back(std::min(peak.value * 1.6, 1e280));
    for (const Roof& bandwidth : bandwidths_) {
      for (const Roof& peak : peaks_) {
        const double ridge = peak.value / bandwidth.value;
        xs.insert(xs.end(), {ridge / 4, ridge * 8});
        ys.push_back(peak.value / 10);
      }
    }
  }

  [[nodiscard]] std::string axes() const {
    return y_axis(y_, y_ticks_, plot_) + x_axis(x_, x_ticks_, plot_) +
           element("path", {{"class", "a"},
                            {"d", fmt::format("M{} {}H{}", pixels(plot_.left), pixels(plot_.bottom),
                                              pixels(plot_.right))}}) +
           label("performance (flop/s)", kMargin, plot_.top - 11, options_.width, "") +
           label("arithmetic intensity (flop/byte)", (plot_.left + plot_.right) / 2, plot_.bottom + 34,
                 options_.width, "c");
  }

  // Where the rising part of a roof begins and ends, as intensities within the plot.
  [[nodiscard]] Range rise(const Roof& bandwidth) const {
    const double top = peaks_.empty() ? y_.domain.high : highest(peaks_);
    return {std::max(x_.domain.low, y_.domain.low / bandwidth.value),
            std::min(x_.domain.high, top / bandwidth.value)};
  }

  [[nodiscard]] double ridge(const Roof& peak) const {
    return bandwidths_.empty() ? x_.domain.low : std::max(x_.domain.low, peak.value / highest(bandwidths_));
  }

  [[nodiscard]] std::string segment(const Roof& roof, double x1, double y1, double x2, double y2) const {
    return element("path",
                   {{"d", fmt::format("M{} {}L{} {}", pixels(x_.at(x1)), pixels(y_.at(y1)), pixels(x_.at(x2)),
                                      pixels(y_.at(y2)))},
                    {"data-roof", roof.name},
                    {"data-value", exact_text(roof.value)}},
                   title_element(roof.name));
  }

  [[nodiscard]] std::string roofs() const {
    std::string markup;
    for (const Roof& bandwidth : bandwidths_) {
      const Range x = rise(bandwidth);
      if (x.low >= x.high) continue;
      markup += segment(bandwidth, x.low, x.low * bandwidth.value, x.high, x.high * bandwidth.value);
    }
    for (const Roof& peak : peaks_) {
      if (ridge(peak) >= x_.domain.high) continue;
      markup += segment(peak, ridge(peak), peak.value, x_.domain.high, peak.value);
    }
    return markup.empty() ? "" : element("g", {{"class", "q"}}, markup);
  }

  [[nodiscard]] std::string roof_labels() const {
    std::string markup;
    for (const Roof& peak : peaks_) {
      markup += label(peak.name, plot_.right - 2, y_.at(peak.value) - 5, plot_.right - plot_.left, "n e o",
                      kNoteSize);
    }
    for (const Roof& bandwidth : bandwidths_) markup += bandwidth_label(bandwidth);
    return markup;
  }

  // Along the slope, from its lower end.
  [[nodiscard]] std::string bandwidth_label(const Roof& bandwidth) const {
    const Range x = rise(bandwidth);
    if (x.low >= x.high || bandwidth.name.empty()) return "";
    const double dx = x_.at(x.high) - x_.at(x.low);
    const double dy = y_.at(x.high * bandwidth.value) - y_.at(x.low * bandwidth.value);
    const double angle = std::atan2(dy, dx);
    const double length = std::hypot(dx, dy);
    const std::string place =
        fmt::format("translate({} {}) rotate({})", pixels(x_.at(x.low)),
                    pixels(y_.at(x.low * bandwidth.value)), pixels(angle * 180 / std::numbers::pi));
    return element("g", {{"transform", place}}, label(bandwidth.name, 12, -6, length - 14, "n o", kNoteSize));
  }

  [[nodiscard]] std::string series() const {
    std::string markup;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      Line line{chart_.series[i].name, i, {}, false, false};
      for (const RooflinePoint& point : chart_.series[i].points) {
        if (is_shown(point)) line.points.push_back(placed(chart_.series[i], point));
      }
      markup += draw_line(line, style());
    }
    return markup;
  }

  [[nodiscard]] Placed placed(const RooflineSeries& series, const RooflinePoint& point) const {
    Placed placed;
    placed.x = x_.at(point.intensity);
    placed.y = y_.at(point.performance);
    placed.data_x = exact_text(point.intensity);
    placed.data_y = exact_text(point.performance);
    if (shown_ > kMostTooltips) return placed;
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
    return fmt::format("Roofline with {}, {} and {}.", report::plural(bandwidths_.size(), "bandwidth"),
                       report::plural(peaks_.size(), "peak"), report::plural(shown_, "point"));
  }

  const RooflineChart& chart_;
  const SvgOptions& options_;
  std::vector<Roof> bandwidths_;
  std::vector<Roof> peaks_;
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
