#include "chart/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "chart/markup.h"
#include "chart/text_width.h"
#include "chart/theme.h"

namespace fib::chart {
namespace {

// Paths relative to the point: circle, square, triangle, diamond, triangle downwards. The second five series
// have the same, hollow.
constexpr std::array<std::string_view, 5> kShapes = {"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0",
                                                     "m-3.2-3.2h6.4v6.4h-6.4z", "m0-4.2l4 7h-8z",
                                                     "m0-4.4l4.4 4.4l-4.4 4.4l-4.4-4.4z", "m0 4.2l4-7h-8z"};
constexpr std::string_view kSmall = "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0";  // series after the tenth
constexpr std::string_view kCross = "m-3.5-3.5l7 7m0-7l-7 7";

std::string_view shape_of(std::size_t index, MarkerStyle style) {
  if (style == MarkerStyle::dots) return "h0";
  return index < kColours ? kShapes[index % kShapes.size()] : kSmall;
}

std::string marker_class(std::size_t index, MarkerStyle style) {
  if (style == MarkerStyle::dots) return "d";
  if (style == MarkerStyle::hidden) return "i";
  return index >= kShapes.size() && index < kColours ? "p w" : "p";
}

std::string place(double x, double y) { return fmt::format("{} {}", pixels(x), pixels(y)); }

bool is_on_line(const Placed& point) { return point.y && !point.failed; }

std::string line_path(const Line& line) {
  std::string path;
  bool open = false;
  for (const Placed& point : line.points) {
    if (!is_on_line(point)) {
      open = false;
      continue;
    }
    if (open && line.steps) path += "H" + pixels(point.x);
    path += open && line.steps ? "V" + pixels(*point.y) : (open ? "L" : "M") + place(point.x, *point.y);
    open = true;
  }
  return path;
}

// The area between the bounds of neighbouring points that have both.
std::string band_path(const Line& line) {
  std::string path;
  std::string upper;
  std::string lower;
  const auto close = [&] {
    if (!upper.empty()) path += "M" + upper.substr(1) + lower + "z";
    upper.clear();
    lower.clear();
  };
  for (const Placed& point : line.points) {
    if (!is_on_line(point) || !point.band_top || !point.band_bottom) {
      close();
      continue;
    }
    upper += "L" + place(point.x, *point.band_top);
    lower = "L" + place(point.x, *point.band_bottom) + lower;
  }
  close();
  return path;
}

std::string mark(const Placed& point, std::string_view shape) {
  return element("path",
                 {{"d", "M" + place(point.x, *point.y) + std::string(shape)},
                  {"data-x", point.data_x},
                  {"data-y", point.data_y},
                  {"data-failed", point.failed ? "1" : ""}},
                 title_element(point.tooltip));
}

std::string marks_of(const Line& line, bool failed, const std::string& css, std::string_view shape) {
  std::string markup;
  for (const Placed& point : line.points) {
    if (point.y && point.failed == failed) markup += mark(point, shape);
  }
  return markup.empty() ? "" : element("g", {{"class", css}}, markup);
}

std::string path_or_nothing(const std::string& css, const std::string& path) {
  return path.empty() ? "" : element("path", {{"class", css}, {"d", path}});
}

constexpr double kSwatch = 22;
constexpr double kGap = 18;
constexpr double kLongestName = 260;

std::vector<LegendItem> entries_of(const std::vector<LegendItem>& items) {
  std::vector<LegendItem> entries;
  std::size_t others = 0;
  for (const LegendItem& item : items) {
    if (item.index < kColours) entries.push_back(item);
    others += item.index < kColours ? 0 : 1;
  }
  if (others > 0)
    entries.push_back({fmt::format("{} other{}", others, others == 1 ? "" : "s"), kColours, true});
  return entries;
}

double entry_width(const LegendItem& item) {
  return kSwatch + 6 + std::min(text_width(item.name, kFontSize), kLongestName);
}

// Names that do not fit into one row stand in columns of the widest one's width; 0: side by side.
double column_width(const std::vector<LegendItem>& entries, double room) {
  double all = 0;
  double widest = 0;
  for (const LegendItem& entry : entries) {
    all += entry_width(entry) + kGap;
    widest = std::max(widest, entry_width(entry));
  }
  return all - kGap > room && 2 * widest + kGap <= room ? widest : 0;
}

std::string swatch(const LegendItem& item, double x, double y, MarkerStyle style) {
  const bool shapes = style == MarkerStyle::shapes;
  std::string markup;
  if (item.joined)
    markup += element("path", {{"class", "l"}, {"d", "M" + place(x, y) + "h" + pixels(kSwatch)}});
  if (shapes || !item.joined) {
    const std::string shape(shape_of(item.index, MarkerStyle::shapes));
    markup += element("path", {{"class", marker_class(item.index, MarkerStyle::shapes)},
                               {"d", "M" + place(x + kSwatch / 2, y) + shape}});
  }
  return element("g", {{"class", series_class(item.index)}}, markup);
}

}  // namespace

std::string draw_line(const Line& line, MarkerStyle style) {
  std::string markup = title_element(line.name) + path_or_nothing("v", band_path(line));
  if (line.joined) markup += path_or_nothing("l", line_path(line));
  markup += marks_of(line, false, marker_class(line.index, style), shape_of(line.index, style));
  markup += marks_of(line, true, "f", kCross);
  return element("g", {{"class", series_class(line.index)}, {"data-series", line.name}}, markup);
}

Block legend(const std::vector<LegendItem>& items, double left, double right, double top, MarkerStyle style) {
  Block block;
  const auto entries = entries_of(items);
  const double column = column_width(entries, right - left);
  double x = left;
  for (const LegendItem& item : entries) {
    const double width = entry_width(item);
    if (x > left && x + width > right) {
      x = left;
      block.height += kLineHeight;
    }
    const double y = top + block.height + 8;
    block.markup += swatch(item, x, y, style) + label(item.name, x + kSwatch + 6, y + 4, kLongestName, "k");
    x += (column > 0 ? column : width) + kGap;
  }
  if (!entries.empty()) block.height += kLineHeight + 4;
  return block;
}

}  // namespace fib::chart
