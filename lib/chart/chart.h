#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chart/scale.h"

// What all charts share. A chart is a plain value; to_svg() and the functions of terminal.h draw it. All of
// them are pure and may be called from any thread. Texts of a chart may be any bytes: they are escaped.
namespace fib::chart {

enum class Theme : std::uint8_t { light, dark };

struct SvgOptions {
  double width = 640;  // of the viewBox, in pixels; text is 11 to 15 pixels high
  bool title = true;   // draw the chart's title; without it, it is only read out (aria-label)
  // A document of its own with namespace, size, colours and background, for files and PNG. Otherwise an
  // element for an HTML page that holds chart_css() once.
  bool standalone = false;
  Theme theme = Theme::light;  // of a standalone document; a page decides by its CSS
};

struct Axis {
  std::string title{};  // with its unit where ticks have none: "latency", "performance (flop/s)"
  Spacing spacing = Spacing::linear;
  Unit unit = Unit::number;
  bool zero = false;  // a linear axis begins at 0
  // Ends of the axis, where the data should not decide; what lies beyond is drawn at the ends.
  std::optional<double> low{};
  std::optional<double> high{};
};

// A line across the plot at a value of an axis.
struct Reference {
  double value = 0;
  std::string label{};  // "baseline"; may be empty
};

// What a bar or cell means, beyond its number.
enum class Tone : std::uint8_t { plain, good, bad, warning, muted };

// The CSS of charts in a page: rules below ".chart", colours as variables of :root (--chart-...) for a light
// theme, for a dark one where the reader prefers it, and for the root's attribute data-theme="dark" or
// "light", which wins. A page puts wide charts in an element that scrolls: text does not shrink below 11 px.
[[nodiscard]] std::string chart_css();

}  // namespace fib::chart
