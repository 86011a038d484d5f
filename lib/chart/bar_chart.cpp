#include "chart/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "chart/frame.h"
#include "chart/markup.h"
#include "chart/number_text.h"
#include "chart/text_width.h"
#include "chart/theme.h"

namespace fib::chart {
namespace {

constexpr double kRow = 24;
constexpr double kBar = 14;
constexpr double kLongestLabel = 250;
constexpr double kLongestText = 130;

class BarDrawing {
 public:
  BarDrawing(const BarChart& chart, const SvgOptions& options) : chart_(chart), options_(options) {
    for (const Bar& bar : chart.bars) {
      if (has_value(bar)) values_.push_back(*bar.value);
      if (bar.value && !has_value(bar)) ++left_out_;
    }
  }

  [[nodiscard]] std::string draw() {
    const Caption caption{chart_.title, chart_.subtitle};
    const std::string note = left_out_note(left_out_, chart_.value.spacing != Spacing::linear);
    if (chart_.bars.empty()) return empty_document(caption, note, options_);
    const Block top = header(caption, options_);
    place_plot(top.height + (has_reference_label() ? 14 : 0));
    std::string body = top.markup + axis();
    for (std::size_t i = 0; i < chart_.bars.size(); ++i) body += row(chart_.bars[i], i);
    body += reference() + foot(note);
    return svg_document(caption, description(), height_ + (note.empty() ? 0 : kLineHeight), body, options_);
  }

 private:
  [[nodiscard]] bool has_value(const Bar& bar) const {
    return bar.value && can_show(*bar.value, chart_.value.spacing);
  }
  [[nodiscard]] bool has_reference_label() const { return chart_.reference && !chart_.reference->label.empty(); }

  [[nodiscard]] std::string text_of(const Bar& bar) const {
    if (!bar.text.empty()) return bar.text;
    return bar.value ? value_text(*bar.value, chart_.value.unit) : "";
  }

  void place_plot(double top) {
    double labels = 0;
    double texts = 0;
    for (const Bar& bar : chart_.bars) {
      labels = std::max(labels, text_width(bar.label, kFontSize));
      texts = std::max(texts, text_width(text_of(bar), kFontSize));
    }
    label_width_ = std::min(labels, kLongestLabel);
    text_width_ = std::min(texts, kLongestText);
    plot_.left = kMargin + label_width_ + 8;
    plot_.right = options_.width - kMargin - text_width_ - 8;
    plot_.top = top;
    plot_.bottom = top + kRow * static_cast<double>(chart_.bars.size());
    height_ = plot_.bottom + (values_.empty() ? 4 : 24) + (chart_.value.title.empty() ? 0 : kLineHeight);
    place_scale();
  }

  void place_scale() {
    Axis axis = chart_.value;
    axis.zero = axis.spacing == Spacing::linear;
    auto values = values_;
    if (chart_.reference) values.push_back(chart_.reference->value);
    scale_ = {axis.spacing, axis_range(values, axis, 7), plot_.left, plot_.right};
    ticks_ = fitting_ticks(scale_, axis.unit, 10);
    const bool from_reference = axis.spacing != Spacing::linear && chart_.reference && can_show(chart_.reference->value, axis.spacing);
    base_ = from_reference ? chart_.reference->value : axis.spacing == Spacing::linear ? 0 : scale_.domain.low;
  }

  [[nodiscard]] std::string axis() const {
    if (values_.empty()) return "";
    std::string markup = x_axis(scale_, ticks_, plot_);
    const std::string x = pixels(scale_.at(base_));
    return markup + element("path", {{"class", "a"}, {"d", fmt::format("M{} {}V{}", x, pixels(plot_.top), pixels(plot_.bottom))}});
  }

  [[nodiscard]] std::string row(const Bar& bar, std::size_t index) const {
    const double middle = plot_.top + kRow * (static_cast<double>(index) + 0.5);
    std::string markup = label(bar.label, plot_.left - 8, middle + 4, label_width_ + 0.5, "k e");
    double end = values_.empty() ? plot_.left : scale_.at(base_);
    if (has_value(bar)) {
      markup += rectangle(bar, middle);
      end = std::max(end, scale_.at(*bar.value));
    }
    const std::string text = text_of(bar);
    if (!text.empty()) markup += label(text, end + 6, middle + 4, text_width_ + 0.5, has_value(bar) ? "k o" : "o");
    const std::string href = safe_link(bar.href);
    return href.empty() ? markup : element("a", {{"href", href}}, markup);
  }

  [[nodiscard]] std::string rectangle(const Bar& bar, double middle) const {
    const double base = scale_.at(base_);
    const double end = scale_.at(*bar.value);
    // A bar of no length is still seen.
    const double width = std::max(1.0, std::abs(end - base));
    const std::string tooltip = fmt::format("{}: {}{}{}", bar.label, value_text(*bar.value, chart_.value.unit, 4),
                                            bar.note.empty() ? "" : "\n", bar.note);
    return element("rect",
                   {{"class", fmt::format("b {}", tone_class(bar.tone))},
                    {"x", pixels(std::min(base, end))},
                    {"y", pixels(middle - kBar / 2)},
                    {"width", pixels(width)},
                    {"height", pixels(kBar)},
                    {"rx", "1.5"},
                    {"data-x", bar.label},
                    {"data-y", exact_text(*bar.value)}},
                   title_element(tooltip));
  }

  // The line through all rows, its label above them.
  [[nodiscard]] std::string reference() const {
    if (!chart_.reference || values_.empty()) return "";
    std::string markup = x_references({{chart_.reference->value, ""}}, scale_, plot_);
    if (markup.empty() || !has_reference_label()) return markup;
    const double half = text_width(chart_.reference->label, kNoteSize) / 2;
    const double x = std::clamp(scale_.at(chart_.reference->value), half + 2, options_.width - half - 2);
    return markup + label(chart_.reference->label, x, plot_.top - 4, options_.width, "n c", kNoteSize);
  }

  [[nodiscard]] std::string foot(const std::string& note) const {
    std::string markup;
    if (!chart_.value.title.empty() && !values_.empty())
      markup += label(chart_.value.title, (plot_.left + plot_.right) / 2, plot_.bottom + 34, options_.width, "c");
    if (!note.empty()) markup += label(note, kMargin, height_ + 10, options_.width - 2 * kMargin, "n", kNoteSize);
    return markup;
  }

  [[nodiscard]] std::string description() const {
    return fmt::format("Bar chart of {} row{}; {}.", chart_.bars.size(), chart_.bars.size() == 1 ? "" : "s",
                       chart_.value.title);
  }

  const BarChart& chart_;
  const SvgOptions& options_;
  std::vector<double> values_;
  std::size_t left_out_ = 0;
  double label_width_ = 0;
  double text_width_ = 0;
  Plot plot_;
  Scale scale_;
  std::vector<Tick> ticks_;
  double base_ = 0;
  double height_ = 0;
};

}  // namespace

std::string to_svg(const BarChart& chart, const SvgOptions& options) { return BarDrawing(chart, options).draw(); }

}  // namespace fib::chart
