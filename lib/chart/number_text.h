#pragma once

#include <string>
#include <vector>

#include "chart/scale.h"

// Numbers as charts write them. All functions are pure.
namespace fib::chart {

// The shortest text that reads back as `value`: "128", "0.1", "1e-07"; "nan", "inf".
[[nodiscard]] std::string exact_text(double value);

// `value` for people, with at most `digits` significant digits, but all of those before the point, and a
// prefix: "12.3 µs", "1.5 GB", "24.1x", "2.5M". Plain numbers have one from 100000 on.
[[nodiscard]] std::string value_text(double value, Unit unit, int digits = 3);

// Short labels of an axis' ticks, in their order. On a linear axis all have the same prefix and number of
// decimals; on log ones each has its own.
[[nodiscard]] std::vector<std::string> tick_labels(const std::vector<double>& values, Spacing spacing,
                                                   Unit unit);

}  // namespace fib::chart
