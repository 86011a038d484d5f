#include "chart/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "chart/frame.h"
#include "chart/markup.h"
#include "chart/number_text.h"
#include "present/text.h"

namespace fib::chart {
namespace {

class HistogramDrawing {
 public:
  HistogramDrawing(const Histogram& chart, const SvgOptions& options) : chart_(chart), options_(options) {}

  [[nodiscard]] std::string draw() {
    const Caption caption{chart_.title, chart_.subtitle};
    const std::string note = left_out_note(chart_.bins.left_out, chart_.value.spacing != Spacing::linear);
    if (chart_.bins.counts.empty()) return empty_document(caption, note, options_);
    const Block top = header(caption, options_);
    place(top.height);
    const std::string body = top.markup + axes() + bars() + x_reference_lines(chart_.markers, x_, plot_) +
                             x_reference_labels(chart_.markers, x_, plot_) + foot(note);
    const double height =
        plot_.bottom + (chart_.value.title.empty() ? 28 : 44) + (note.empty() ? 0 : kLineHeight);
    return svg_document(caption, description(), height, body, options_);
  }

 private:
  void place(double top) {
    plot_.top = top + 24;
    plot_.bottom = top + chart_.height - 40;
    const auto& counts = chart_.bins.counts;
    const auto highest = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
    Axis count{.title = "", .zero = true, .low = 0.0, .high = {}};
    y_ = {Spacing::linear, axis_range({std::max(highest, 1.0)}, count, 6), plot_.bottom, plot_.top};
    y_ticks_ = ticks_of(y_.domain, y_.spacing, Unit::number, 6);
    // Counts are whole.
    std::erase_if(y_ticks_, [](const Tick& tick) { return tick.label.find('.') != std::string::npos; });
    plot_.left = kMargin + widest_label(y_ticks_) + 8;
    plot_.right = options_.width - kMargin - 14;
    place_x();
  }

  // The bins' edges are the axis' ends, unless a marker lies beyond them.
  void place_x() {
    auto ends = std::vector<double>{chart_.bins.edges.front(), chart_.bins.edges.back()};
    for (const Reference& marker : chart_.markers) ends.push_back(marker.value);
    const auto range = range_of(ends, chart_.value.spacing);
    x_ = {chart_.value.spacing, range.value_or(Range{}), plot_.left, plot_.right};
    x_ticks_ = fitting_ticks(x_, chart_.value.unit, 12);
  }

  [[nodiscard]] std::string axes() const {
    std::string markup = y_axis(y_, y_ticks_, plot_) + x_axis(x_, x_ticks_, plot_);
    markup += label(chart_.count_title, kMargin, plot_.top - 11, options_.width - 2 * kMargin, "");
    return markup;
  }

  [[nodiscard]] std::string bars() const {
    std::string markup;
    for (std::size_t i = 0; i < chart_.bins.counts.size(); ++i) markup += bar(i);
    markup += bottom_line(plot_);
    return element("g", {{"class", "plain"}}, markup);
  }

  [[nodiscard]] std::string bar(std::size_t i) const {
    const double low = chart_.bins.edges[i];
    const double high = chart_.bins.edges[i + 1];
    const auto count = static_cast<double>(chart_.bins.counts[i]);
    const std::string tooltip = fmt::format("{} to {}: {}", value_text(low, chart_.value.unit, 4),
                                            value_text(high, chart_.value.unit, 4), chart_.bins.counts[i]);
    return element("rect",
                   {{"class", "b"},
                    {"x", pixels(x_.at(low) + 0.5)},
                    {"y", pixels(y_.at(count))},
                    {"width", pixels(std::max(1.0, x_.at(high) - x_.at(low) - 1))},
                    {"height", pixels(plot_.bottom - y_.at(count))},
                    {"data-x", exact_text(low)},
                    {"data-x2", exact_text(high)},
                    {"data-y", std::to_string(chart_.bins.counts[i])}},
                   title_element(tooltip));
  }

  [[nodiscard]] std::string foot(const std::string& note) const {
    std::string markup;
    const double title = plot_.bottom + 34;
    if (!chart_.value.title.empty())
      markup +=
          label(chart_.value.title, (plot_.left + plot_.right) / 2, title, plot_.right - plot_.left, "c");
    const double y = chart_.value.title.empty() ? title : title + kLineHeight;
    if (!note.empty()) markup += label(note, kMargin, y, options_.width - 2 * kMargin, "n", kNoteSize);
    return markup;
  }

  [[nodiscard]] std::string description() const {
    const auto& counts = chart_.bins.counts;
    const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    return fmt::format("Histogram of {} in {}; {}.", present::plural(all, "value"),
                       present::plural(counts.size(), "bin"), chart_.value.title);
  }

  const Histogram& chart_;
  const SvgOptions& options_;
  Plot plot_;
  Scale x_;
  Scale y_;
  std::vector<Tick> x_ticks_;
  std::vector<Tick> y_ticks_;
};

}  // namespace

std::string to_svg(const Histogram& chart, const SvgOptions& options) {
  return HistogramDrawing(chart, options).draw();
}

}  // namespace fib::chart
