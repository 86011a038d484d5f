#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fib::util {

// Of two in the middle the mean. There is at least one value, and none is NaN. Pure.
[[nodiscard]] inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace fib::util
