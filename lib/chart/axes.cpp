#include <fmt/format.h>

#include <algorithm>

#include "chart/frame.h"
#include "chart/markup.h"
#include "chart/text_width.h"

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
                      escape_xml(tick.label));
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
                      escape_xml(tick.label));
  }
  return markup;
}

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

std::string y_reference_labels(const std::vector<Reference>& lines, const Scale& scale, const Plot& plot) {
  std::string markup;
  for (const Reference& reference : lines) {
    if (reference.label.empty() || !is_within(reference.value, scale)) continue;
    const double y = scale.at(reference.value);
    const double above = y - 5 < plot.top + 8 ? y + 14 : y - 5;
    markup += label(reference.label, plot.right - 2, above, plot.right - plot.left, "n e o", kNoteSize);
  }
  return markup;
}

std::string x_reference_labels(const std::vector<Reference>& lines, const Scale& scale, const Plot& plot) {
  std::string markup;
  for (const Reference& reference : lines) {
    if (reference.label.empty() || !is_within(reference.value, scale)) continue;
    const double x = scale.at(reference.value);
    const bool leftwards = x + text_width(reference.label, kNoteSize) > plot.right;
    markup += label(reference.label, leftwards ? x - 5 : x + 5, plot.top + 9, plot.right - plot.left,
                    leftwards ? "n e o" : "n o", kNoteSize);
  }
  return markup;
}

}  // namespace fib::chart
