#include <fmt/format.h>

#include <algorithm>

#include "chart/frame.h"
#include "chart/markup.h"
#include "chart/text_width.h"
#include "util/xml.h"

// The axes of frame.h.
namespace fib::chart {
namespace {

std::string line(const std::string& css, double x1, double y1, const std::string& rest) {
  return element("path", {{"class", css}, {"d", fmt::format("M{} {}{}", pixels(x1), pixels(y1), rest)}});
}

std::string across(const std::string& css, const Plot& plot, double y) {
  return line(css, plot.left, y, "H" + pixels(plot.right));
}

std::string down(const std::string& css, const Plot& plot, double x) {
  return line(css, x, plot.top, "V" + pixels(plot.bottom));
}

// An axis may have been cut by its maker.
bool is_within(double value, const Scale& scale) {
  return can_show(value, scale.spacing) && value >= scale.domain.low && value <= scale.domain.high;
}

// Beginnings of the baseline of a label at a horizontal line: right above, right below, left above, left
// below.
std::vector<Spot> places_at(double y, double width, const Plot& plot) {
  std::vector<Spot> places;
  for (const double x : {plot.right - 2 - width, plot.left + 4}) {
    if (y - 16 > plot.top) places.push_back({x, y - 5});
    if (y + 16 < plot.bottom) places.push_back({x, y + 13});
  }
  return places.empty() ? std::vector<Spot>{{plot.right - 2 - width, y - 5}} : places;
}

Spot least_crowded(const std::vector<Spot>& places, double width, const std::vector<Spot>& spots) {
  const auto covered = [&](const Spot& place) {
    return std::count_if(spots.begin(), spots.end(), [&](const Spot& spot) {
      return spot.x > place.x - 6 && spot.x < place.x + width + 6 && spot.y > place.y - 14 &&
             spot.y < place.y + 6;
    });
  };
  return *std::min_element(places.begin(), places.end(),
                           [&](const Spot& a, const Spot& b) { return covered(a) < covered(b); });
}

// Whether a label at a vertical line stands on its left: no room on the right, or another line there.
bool stands_left(double x, double width, const std::vector<Reference>& lines, const Scale& scale,
                 const Plot& plot) {
  if (x - 5 - width < plot.left) return false;
  if (x + 5 + width > plot.right) return true;
  return std::any_of(lines.begin(), lines.end(), [&](const Reference& other) {
    const double place = is_within(other.value, scale) ? scale.at(other.value) : x;
    return place > x && place < x + 9 + width;
  });
}

// The highest line at or below `top` where a label from `left` overlaps none of those that are there.
Plot free_place(double left, double width, double top, const std::vector<Plot>& taken) {
  Plot place{left, top, left + width, top + 13};
  const auto overlaps = [&](const Plot& other) {
    return place.left < other.right + 8 && other.left < place.right + 8 && place.top == other.top;
  };
  while (std::any_of(taken.begin(), taken.end(), overlaps)) place.top += 13;
  return place;
}

}  // namespace

std::string y_axis(const Scale& scale, const std::vector<Tick>& ticks, const Plot& plot) {
  std::string markup;
  for (const Tick& tick : ticks) {
    const double y = scale.at(tick.value);
    if (tick.label.empty()) {
      markup += line("a", plot.left - 3, y, "h3");
      continue;
    }
    markup += across("g", plot, y);
    markup += element("text", {{"class", "e"}, {"x", pixels(plot.left - 6)}, {"y", pixels(y + 4)}},
                      util::escape_xml(tick.label));
  }
  return markup;
}

std::string x_axis(const Scale& scale, const std::vector<Tick>& ticks, const Plot& plot) {
  std::string markup;
  for (const Tick& tick : ticks) {
    const double x = scale.at(tick.value);
    if (tick.label.empty()) {
      markup += line("a", x, plot.bottom, "v3");
      continue;
    }
    markup += down("g", plot, x);
    markup += element("text", {{"class", "c"}, {"x", pixels(x)}, {"y", pixels(plot.bottom + 16)}},
                      util::escape_xml(tick.label));
  }
  return markup;
}

std::string bottom_line(const Plot& plot) { return across("a", plot, plot.bottom); }

std::string y_reference_lines(const std::vector<Reference>& lines, const Scale& scale, const Plot& plot) {
  std::string markup;
  for (const Reference& reference : lines) {
    if (is_within(reference.value, scale)) markup += across("r", plot, scale.at(reference.value));
  }
  return markup;
}

std::string x_reference_lines(const std::vector<Reference>& lines, const Scale& scale, const Plot& plot) {
  std::string markup;
  for (const Reference& reference : lines) {
    if (is_within(reference.value, scale)) markup += down("r", plot, scale.at(reference.value));
  }
  return markup;
}

std::string y_reference_labels(const std::vector<Reference>& lines, const Scale& scale, const Plot& plot,
                               const std::vector<Spot>& spots) {
  std::string markup;
  for (const Reference& reference : lines) {
    if (reference.label.empty() || !is_within(reference.value, scale)) continue;
    const double width = text_width(reference.label, kNoteSize);
    const Spot best = least_crowded(places_at(scale.at(reference.value), width, plot), width, spots);
    markup += label(reference.label, best.x, best.y, plot.right - plot.left, "n o", kNoteSize);
  }
  return markup;
}

std::string x_reference_labels(const std::vector<Reference>& lines, const Scale& scale, const Plot& plot) {
  std::string markup;
  std::vector<Plot> taken;
  for (const Reference& reference : lines) {
    if (reference.label.empty() || !is_within(reference.value, scale)) continue;
    const double width = text_width(reference.label, kNoteSize);
    const double x = scale.at(reference.value);
    const double left = stands_left(x, width, lines, scale, plot) ? x - 5 - width : x + 5;
    const Plot place = free_place(left, width, plot.top, taken);
    taken.push_back(place);
    markup += label(reference.label, left, place.top + 9, plot.right - plot.left, "n o", kNoteSize);
  }
  return markup;
}

}  // namespace fib::chart
