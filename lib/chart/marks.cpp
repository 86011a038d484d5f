#include "chart/marks.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "chart/markup.h"
#include "chart/theme.h"

namespace fib::chart {
namespace {

// Paths relative to the point: circle, square, cross, diamond, hexagon; a triangle, in place of the marker,
// marks those that are flagged. The second five series have the same, hollow.
constexpr std::array<std::string_view, 5> kShapes = {
    "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0", "m-3.2-3.2h6.4v6.4h-6.4z",
    "m-1.5-4.2h3v2.7h2.7v3h-2.7v2.7h-3v-2.7h-2.7v-3h2.7z", "m0-4.4l4.4 4.4l-4.4 4.4l-4.4-4.4z",
    "m-2-3.6h4l2 3.6l-2 3.6h-4l-2-3.6z"};
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
    lower.insert(0, "L" + place(point.x, *point.band_bottom));
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

// Triangles over the markers of the points that are flagged.
std::string flags_of(const Line& line) {
  std::string path;
  for (const Placed& point : line.points) {
    if (is_on_line(point) && point.flagged) path += "M" + place(point.x, *point.y) + "m0-7l6.5 11h-13z";
  }
  return path;
}

// Rings around the points where something else begins, which no series has for markers.
std::string changes_of(const Line& line) {
  std::string path;
  for (const Placed& point : line.points) {
    if (!point.y || !point.changed) continue;
    path += "M" + place(point.x, *point.y) + "m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0";
  }
  return path;
}

}  // namespace

std::string draw_line(const Line& line, MarkerStyle style) {
  std::string markup = title_element(line.name) + path_or_nothing("v", band_path(line));
  if (line.joined) markup += path_or_nothing("l", line_path(line));
  markup += marks_of(line, false, marker_class(line.index, style), shape_of(line.index, style));
  markup += marks_of(line, true, "f", kCross) + path_or_nothing("u", flags_of(line)) +
            path_or_nothing("y", changes_of(line));
  return element("g", {{"class", series_class(line.index)}, {"data-series", line.name}}, markup);
}

std::vector<Spot> spots_of(const std::vector<Line>& lines) {
  constexpr int kBetween = 8;
  std::vector<Spot> spots;
  for (const Line& line : lines) {
    std::optional<Spot> last;
    for (const Placed& point : line.points) {
      if (!point.y) continue;
      const Spot here{point.x, *point.y};
      const Spot from = last.value_or(here);
      for (int step = 1; step <= kBetween; ++step) {
        const double share = 1.0 * step / kBetween;
        spots.push_back({std::lerp(from.x, here.x, share), std::lerp(from.y, here.y, share)});
      }
      last = here;
    }
  }
  return spots;
}

std::string marker(std::size_t index, MarkerStyle style, double x, double y) {
  const std::string path = "M" + place(x, y) + std::string(shape_of(index, style));
  return element("path", {{"class", marker_class(index, style)}, {"d", path}});
}

}  // namespace fib::chart
