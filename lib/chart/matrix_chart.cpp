#include "chart/matrix_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "chart/frame.h"
#include "chart/markup.h"
#include "chart/text_width.h"
#include "chart/theme.h"
#include "present/text.h"

namespace fib::chart {
namespace {

constexpr double kCellHeight = 22;
constexpr double kWidest = 64;
constexpr double kNarrowestCell = 12;
constexpr double kLongestRow = 230;
constexpr double kLongestColumn = 150;
constexpr double kSlant = 45;  // degrees of long column labels

std::string sign_of(const Cell& cell) {
  if (!cell.text.empty()) return cell.text;
  switch (cell.tone) {
    case Tone::good:
      return "✓";
    case Tone::bad:
      return "✗";
    case Tone::warning:
      return "!";
    case Tone::muted:
      return "–";
    case Tone::plain:
      break;
  }
  return "";
}

class MatrixDrawing {
 public:
  MatrixDrawing(const MatrixChart& chart, const SvgOptions& options) : chart_(chart), options_(options) {}

  [[nodiscard]] std::string draw() {
    const Caption caption{chart_.title, chart_.subtitle};
    if (chart_.rows.empty() || chart_.columns.empty()) return empty_document(caption, "", options_);
    place_columns();
    const Block top = header(caption, options_);
    top_ = top.height + column_height_ + 6;
    std::string body = top.markup + column_labels();
    for (std::size_t row = 0; row < chart_.rows.size(); ++row) body += cells_of(row);
    const double height = top_ + kCellHeight * static_cast<double>(chart_.rows.size()) + kMargin;
    return svg_document(caption, description(), height, body, options_);
  }

 private:
  void place_columns() {
    double labels = 0;
    for (const std::string& row : chart_.rows) labels = std::max(labels, text_width(row, kFontSize));
    row_width_ = std::min(labels, kLongestRow);
    left_ = kMargin + row_width_ + 8;
    for (const std::string& column : chart_.columns)
      column_width_ = std::max(column_width_, std::min(kLongestColumn, text_width(column, kFontSize)));
    const auto count = static_cast<double>(chart_.columns.size());
    cell_ = std::min(kWidest, (options_.width - left_ - kMargin - overhang(kWidest)) / count);
    cell_ = std::max(kNarrowestCell, cell_);
    slanted_ = column_width_ + 6 > cell_;
    column_height_ = slanted_ ? column_width_ * std::numbers::sqrt2 / 2 + 10 : kLineHeight;
    options_.width = std::max(options_.width, left_ + cell_ * count + kMargin + overhang(cell_));
  }

  // How far the last slanted label reaches beyond its column.
  [[nodiscard]] double overhang(double cell) const {
    return column_width_ + 6 > cell ? std::max(0.0, column_width_ * std::numbers::sqrt2 / 2 - cell / 2 + 8)
                                    : 0;
  }

  [[nodiscard]] double x_of(std::size_t column) const { return left_ + cell_ * static_cast<double>(column); }

  [[nodiscard]] std::string column_labels() const {
    std::string markup;
    for (std::size_t i = 0; i < chart_.columns.size(); ++i) {
      const double x = x_of(i) + cell_ / 2;
      if (!slanted_) {
        markup += label(chart_.columns[i], x, top_ - 8, column_width_ + 0.5, "c");
        continue;
      }
      const std::string place =
          fmt::format("translate({} {}) rotate(-{})", pixels(x + 3), pixels(top_ - 6), kSlant);
      markup += element("g", {{"transform", place}}, label(chart_.columns[i], 0, 0, column_width_ + 0.5, ""));
    }
    return markup;
  }

  [[nodiscard]] std::string cells_of(std::size_t row) const {
    const double y = top_ + kCellHeight * static_cast<double>(row);
    std::string markup = label(chart_.rows[row], left_ - 8, y + kCellHeight / 2 + 4, row_width_ + 0.5, "k e");
    if (row >= chart_.cells.size()) return markup;
    const auto& cells = chart_.cells[row];
    for (std::size_t i = 0; i < std::min(cells.size(), chart_.columns.size()); ++i) {
      if (cells[i]) markup += cell(*cells[i], row, i, y);
    }
    return markup;
  }

  [[nodiscard]] std::string cell(const Cell& cell, std::size_t row, std::size_t column, double y) const {
    const std::string sign = sign_of(cell);
    const std::string tooltip = fmt::format("{}, {}: {}{}{}", chart_.rows[row], chart_.columns[column],
                                            cell.text.empty() ? tone_class(cell.tone) : cell.text,
                                            cell.note.empty() ? "" : "\n", cell.note);
    std::string markup = element("rect",
                                 {{"class", fmt::format("t {}", tone_class(cell.tone))},
                                  {"x", pixels(x_of(column) + 1)},
                                  {"y", pixels(y + 1)},
                                  {"width", pixels(cell_ - 2)},
                                  {"height", pixels(kCellHeight - 2)},
                                  {"rx", "2"},
                                  {"data-row", chart_.rows[row]},
                                  {"data-column", chart_.columns[column]},
                                  {"data-y", std::string(tone_class(cell.tone))}},
                                 title_element(tooltip));
    if (!sign.empty() && text_width(sign, kNoteSize) <= cell_)
      markup += label(sign, x_of(column) + cell_ / 2, y + kCellHeight / 2 + 4, cell_, "n c k j", kNoteSize);
    return markup;
  }

  [[nodiscard]] std::string description() const {
    return fmt::format("Matrix of {} and {}.", present::plural(chart_.rows.size(), "row"),
                       present::plural(chart_.columns.size(), "column"));
  }

  const MatrixChart& chart_;
  SvgOptions options_;
  double row_width_ = 0;
  double column_width_ = 0;
  double column_height_ = 0;
  double cell_ = 0;
  bool slanted_ = false;
  double left_ = 0;
  double top_ = 0;
};

}  // namespace

std::string to_svg(const MatrixChart& chart, const SvgOptions& options) {
  return MatrixDrawing(chart, options).draw();
}

}  // namespace fib::chart
