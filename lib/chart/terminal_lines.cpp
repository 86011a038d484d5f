#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chart/frame.h"
#include "chart/line_points.h"
#include "chart/number_text.h"
#include "chart/terminal.h"
#include "present/text.h"

// lines_text() of terminal.h.
namespace fib::chart {
namespace {

using present::display_width;

class TextPlot {
 public:
  TextPlot(const LineChart& chart, std::size_t width, std::size_t height)
      : chart_(chart), width_(width), height_(std::max<std::size_t>(height, 3)) {
    for (const Series& series : chart.series) {
      for (const Point& point : series.points) take(point);
    }
  }

  [[nodiscard]] std::string draw() {
    const std::string note = left_out_note(chart_, left_out_);
    const std::string note_line = note.empty() ? "" : note + "\n";
    if (xs_.empty()) return "no data\n" + note_line;
    place();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) put_series(chart_.series[i], letter(i));
    return title() + plot() + x_labels() + names() + note_line;
  }

 private:
  void take(const Point& point) {
    if (is_left_out(chart_, point)) ++left_out_;
    if (!is_drawn(chart_, point)) return;
    xs_.push_back(point.x);
    if (!point.failed) ys_.push_back(*point.y);
  }

  void place() {
    const Range y = axis_range(ys_, chart_.y, 5);
    y_ = {chart_.y.spacing, y, static_cast<double>(height_ - 1), 0};
    for (const Tick& tick :
         ticks_of(y, chart_.y.spacing, chart_.y.unit, std::max<std::size_t>(2, height_ / 2))) {
      if (!tick.label.empty()) ticks_.push_back(tick);
    }
    for (const Tick& tick : ticks_) margin_ = std::max(margin_, display_width(tick.label));
    columns_ = width_ - margin_ - 2;
    const bool by_category = !chart_.categories.empty();
    const Range x = by_category ? category_range() : axis_range(xs_, chart_.x, 5);
    x_ = {by_category ? Spacing::linear : chart_.x.spacing, x, 0, static_cast<double>(columns_ - 1)};
    cells_.assign(height_, std::vector<std::string>(columns_, " "));
  }

  [[nodiscard]] Range category_range() const {
    return {0, std::max(1.0, static_cast<double>(chart_.categories.size() - 1))};
  }

  static std::string letter(std::size_t index) {
    return index < 26 ? std::string(1, static_cast<char>('a' + index)) : "+";
  }

  void put_series(const Series& series, const std::string& mark) {
    for (const Point& point : series.points) {
      if (!is_drawn(chart_, point)) continue;
      const auto x = static_cast<std::size_t>(std::lround(x_.at(point.x)));
      if (point.failed) {
        put(x, height_ - 1, "✗");
      } else {
        put(x, static_cast<std::size_t>(std::lround(y_.at(*point.y))), mark);
      }
    }
  }

  void put(std::size_t x, std::size_t y, const std::string& mark) {
    std::string& cell = cells_[y][x];
    cell = cell == " " || cell == mark ? mark : "*";
  }

  [[nodiscard]] std::string title() const {
    return chart_.y.title.empty() ? "" : present::shorten(present::printable(chart_.y.title), width_) + "\n";
  }

  [[nodiscard]] std::string plot() const {
    std::string text;
    for (std::size_t row = 0; row < height_; ++row) {
      std::string name;
      for (const Tick& tick : ticks_) {
        if (std::lround(y_.at(tick.value)) == static_cast<long>(row)) name = tick.label;
      }
      std::string line =
          std::string(margin_ - display_width(name), ' ') + name + (name.empty() ? " │" : " ┤");
      for (const std::string& cell : cells_[row]) line += cell;
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

  // The ends of the axis, with its title between them.
  [[nodiscard]] std::string x_labels() const {
    const bool by_category = !chart_.categories.empty();
    const auto end = [&](double value, std::size_t category) {
      return by_category ? present::printable(chart_.categories[category].label)
                         : value_text(value, chart_.x.unit, 5);
    };
    const std::size_t half = columns_ / 3;
    const std::string first = present::shorten(end(x_.domain.low, 0), half);
    const std::string last = present::shorten(end(x_.domain.high, chart_.categories.size() - 1), half);
    const std::size_t room = columns_ - display_width(first) - display_width(last);
    const std::string title = room < 4 ? "" : present::shorten(present::printable(chart_.x.title), room - 2);
    const std::size_t before = (room - display_width(title)) / 2;
    const std::string rule = std::string(margin_ + 1, ' ') + "└" + repeated("─", columns_) + "\n";
    return rule + std::string(margin_ + 2, ' ') + first + std::string(before, ' ') + title +
           std::string(room - display_width(title) - before, ' ') + last + "\n";
  }

  static std::string repeated(std::string_view text, std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) result += text;
    return result;
  }

  [[nodiscard]] std::string names() const {
    std::string text;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      text +=
          letter(i) + "  " + present::shorten(present::printable(chart_.series[i].name), width_ - 3) + "\n";
    }
    return text;
  }

  const LineChart& chart_;
  std::size_t width_;
  std::size_t height_;
  std::vector<double> xs_;
  std::vector<double> ys_;
  std::size_t left_out_ = 0;
  std::size_t margin_ = 0;
  std::size_t columns_ = 0;
  Scale x_;
  Scale y_;
  std::vector<Tick> ticks_;
  std::vector<std::vector<std::string>> cells_;
};

}  // namespace

std::string lines_text(const LineChart& chart, const present::TextStyle& style, std::size_t height) {
  const std::size_t width = std::max<std::size_t>(40, style.width == 0 ? 100 : style.width);
  return TextPlot(chart, width, height).draw();
}

}  // namespace fib::chart
