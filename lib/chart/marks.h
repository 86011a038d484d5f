#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chart/frame.h"

// Series as lines and markers, and their legend. All functions are pure; lengths are pixels.
namespace fib::chart {

// A point where it is drawn.
struct Placed {
  double x = 0;
  std::optional<double> y{};  // none: nothing is drawn and the line breaks
  std::optional<double> band_top{};
  std::optional<double> band_bottom{};
  bool failed = false;   // a cross at y, which breaks the line
  bool flagged = false;  // a triangle above y
  bool changed = false;  // a ring around it
  std::string data_x{};  // what the element says of itself
  std::string data_y{};
  std::string tooltip{};  // empty: none
};

enum class MarkerStyle : std::uint8_t {
  shapes,  // one of ten shapes for each series
  dots,    // small and alike: charts of many points
  hidden,  // seen under the pointer only
};

struct Line {
  std::string name;
  std::size_t index = 0;  // decides colour and shape
  std::vector<Placed> points;
  bool joined = true;  // there is a line at all
  bool steps = false;
};

// One group with data-series: band, line, points.
[[nodiscard]] std::string draw_line(const Line& line, MarkerStyle style);

// The marker of a series alone, for its legend.
[[nodiscard]] std::string marker(std::size_t index, MarkerStyle style, double x, double y);

// The points of the lines and places between them, for labels that keep clear.
[[nodiscard]] std::vector<Spot> spots_of(const std::vector<Line>& lines);

struct LegendItem {
  std::string name;
  std::size_t index = 0;
  bool joined = true;
};

// Rows of swatches with names between `left` and `right`, the first at `top`. Series after the tenth are one
// item together, "12 others". Empty without items.
[[nodiscard]] Block legend(const std::vector<LegendItem>& items, double left, double right, double top,
                           MarkerStyle style);

}  // namespace fib::chart
