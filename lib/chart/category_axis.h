#pragma once

#include <string>
#include <vector>

#include "chart/frame.h"
#include "chart/line_chart.h"

// A horizontal axis of names instead of numbers: category i is at the value i. All functions are pure.
namespace fib::chart {

// Every category's label, or every second, third, ... so that each has room within a drawing of `width`
// pixels; the last one always has a label.
[[nodiscard]] std::vector<Tick> category_ticks(const std::vector<Category>& categories, const Scale& scale,
                                               double width);

// Marks at the axis and the labels of category_ticks(), with tooltips.
[[nodiscard]] std::string category_axis(const std::vector<Category>& categories, const Scale& scale,
                                        const std::vector<Tick>& ticks, const Plot& plot, double width);

}  // namespace fib::chart
