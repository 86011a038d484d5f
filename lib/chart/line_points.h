#pragma once

#include <string>

#include "chart/line_chart.h"

// What the points of a LineChart are and say, wherever they are drawn. All functions are pure.
namespace fib::chart {

// Whether the x axis has a place for the point: its number can be shown, or there is such a category.
[[nodiscard]] bool has_x(const LineChart& chart, const Point& point);

// Whether it has a value that the y axis can show. A failed one has none, whatever its y is.
[[nodiscard]] bool has_y(const LineChart& chart, const Point& point);

// Whether something is drawn for it: a marker or a cross.
[[nodiscard]] bool is_drawn(const LineChart& chart, const Point& point);

// Whether it should have been drawn and cannot be. Missing points are not left out.
[[nodiscard]] bool is_left_out(const LineChart& chart, const Point& point);

// Why points were left out, for a chart's note; empty for none.
[[nodiscard]] std::string left_out_note(const LineChart& chart, std::size_t count);

// Its x exactly, or the label of its category. The point has a place on the x axis.
[[nodiscard]] std::string x_data(const LineChart& chart, const Point& point);

// "name: 128 → 12.3 µs" and lines of notes, of a point that is drawn.
[[nodiscard]] std::string tooltip(const LineChart& chart, const Series& series, const Point& point);

}  // namespace fib::chart
