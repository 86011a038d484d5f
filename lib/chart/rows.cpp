#include "chart/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "chart/markup.h"
#include "chart/text_width.h"
#include "present/text.h"

namespace fib::chart {
namespace {

constexpr double kRowHeight = 24;
constexpr double kLongestLabel = 250;
constexpr double kLongestText = 200;
constexpr double kTextGap = 6;
constexpr double kNarrowestPlot = 80;  // plot, whatever the texts are

class RowsDrawing {
 public:
  RowsDrawing(const Rows& rows, const SvgOptions& options) : rows_(rows), options_(options) {
    for (const Row& row : rows.rows) values_.insert(values_.end(), row.values.begin(), row.values.end());
  }

  [[nodiscard]] std::string draw() {
    const std::string note = left_out_note(rows_.left_out, rows_.axis.spacing != Spacing::linear);
    if (rows_.rows.empty()) return empty_document(rows_.caption, note, options_);
    const Block top = header(rows_.caption, options_);
    place_plot(top.height + (has_reference_label() ? 14 : 0));
    std::string body = top.markup + axis() + reference();
    for (std::size_t i = 0; i < rows_.rows.size(); ++i) body += row(i);
    body += foot(note);
    const std::size_t count = rows_.rows.size();
    return svg_document(rows_.caption, present::plural(count, "row") + "; " + rows_.axis.title,
                        height_ + (note.empty() ? 0 : kLineHeight), body, options_);
  }

 private:
  [[nodiscard]] bool has_reference_label() const {
    return rows_.reference && !rows_.reference->label.empty() && !values_.empty();
  }

  void place_plot(double top) {
    for (const Row& row : rows_.rows) label_width_ = std::max(label_width_, text_width(row.label, kFontSize));
    label_width_ = std::min(label_width_, kLongestLabel);
    plot_.left = kMargin + label_width_ + 8;
    plot_.top = top;
    plot_.bottom = top + kRowHeight * static_cast<double>(rows_.rows.size());
    height_ = plot_.bottom + (values_.empty() ? 4 : 24) + (has_title() ? kLineHeight : 0);
    place_scale();
  }

  [[nodiscard]] bool has_title() const { return !rows_.axis.title.empty() && !values_.empty(); }

  void place_scale() {
    Axis axis = rows_.axis;
    axis.zero = axis.zero || (rows_.from_base && axis.spacing == Spacing::linear);
    auto all = values_;
    if (rows_.reference) all.push_back(rows_.reference->value);
    scale_ = {axis.spacing, axis_range(all, axis, 7), 0, 1};
    place_base();
    plot_.right = plot_.left + plot_width();
    scale_.from = plot_.left;
    scale_.to = plot_.right;
    ticks_ = fitting_ticks(scale_, axis.unit, 10);
  }

  void place_base() {
    const bool linear = rows_.axis.spacing == Spacing::linear;
    base_ = linear ? 0 : scale_.domain.low;
    if (!linear && rows_.reference && can_show(rows_.reference->value, rows_.axis.spacing))
      base_ = rows_.reference->value;
  }

  // Where the text of a row begins, as a value of the axis.
  [[nodiscard]] double end_of(const Row& row) const {
    double end = rows_.from_base ? base_ : scale_.domain.low;
    for (const double value : row.values) end = std::max(end, value);
    return end;
  }

  [[nodiscard]] static double text_room(const Row& row) {
    return std::min(text_width(row.text, kFontSize), kLongestText);
  }

  // As wide as the texts right of the rows let it be. The scale runs from 0 to 1 here.
  [[nodiscard]] double plot_width() const {
    const double room = options_.width - kMargin - plot_.left;
    double width = room - 12;
    for (const Row& row : rows_.rows) {
      const double share = scale_.at(end_of(row));
      if (share > 0) width = std::min(width, (room - kTextGap - text_room(row)) / share);
    }
    return std::max(width, kNarrowestPlot);
  }

  [[nodiscard]] std::string axis() const {
    if (values_.empty()) return "";
    std::string markup = x_axis(scale_, ticks_, plot_);
    const std::string x = pixels(scale_.at(rows_.from_base ? base_ : scale_.domain.low));
    return markup +
           element("path", {{"class", "a"},
                            {"d", fmt::format("M{} {}V{}", x, pixels(plot_.top), pixels(plot_.bottom))}});
  }

  [[nodiscard]] std::string row(std::size_t index) const {
    const Row& row = rows_.rows[index];
    const double middle = plot_.top + kRowHeight * (static_cast<double>(index) + 0.5);
    std::string markup = label(row.label, plot_.left - 8, middle + 4, label_width_ + 0.5, "k e");
    if (!row.values.empty()) markup += rows_.draw(index, scale_, scale_.at(base_), middle);
    if (!row.text.empty()) {
      const double x = (values_.empty() ? plot_.left : scale_.at(end_of(row))) + kTextGap;
      markup += label(row.text, x, middle + 4, text_room(row) + 0.5, "o");
    }
    const std::string href = safe_link(row.href);
    return href.empty() ? markup : element("a", {{"href", href}}, markup);
  }

  // The line through all rows, below them so that it crosses no text; its label is above.
  [[nodiscard]] std::string reference() const {
    if (!rows_.reference || values_.empty()) return "";
    std::string markup = x_reference_lines({*rows_.reference}, scale_, plot_);
    if (markup.empty() || !has_reference_label()) return markup;
    const double half = text_width(rows_.reference->label, kNoteSize) / 2;
    const double x = std::clamp(scale_.at(rows_.reference->value), std::min(half + 2, options_.width / 2),
                                std::max(options_.width - half - 2, options_.width / 2));
    return markup + label(rows_.reference->label, x, plot_.top - 4, options_.width, "n c", kNoteSize);
  }

  [[nodiscard]] std::string foot(const std::string& note) const {
    std::string markup;
    if (has_title()) {
      const double width = text_width(rows_.axis.title, kFontSize);
      const double x = std::min((plot_.left + plot_.right) / 2, options_.width - kMargin - width / 2);
      markup += label(rows_.axis.title, std::max(x, options_.width / 2), plot_.bottom + 34,
                      options_.width - 2 * kMargin, "c");
    }
    if (!note.empty())
      markup += label(note, kMargin, height_ + 10, options_.width - 2 * kMargin, "n", kNoteSize);
    return markup;
  }

  const Rows& rows_;
  const SvgOptions& options_;
  std::vector<double> values_;
  double label_width_ = 0;
  Plot plot_;
  Scale scale_;
  std::vector<Tick> ticks_;
  double base_ = 0;
  double height_ = 0;
};

}  // namespace

std::string rows_svg(const Rows& rows, const SvgOptions& options) {
  return RowsDrawing(rows, options).draw();
}

}  // namespace fib::chart
