#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fib::tensor {

// Elements along each dimension, outermost first. A shape without dimensions is one element.
using Shape = std::vector<std::int64_t>;

// The number of elements; 0 when any dimension is 0. Nothing when a dimension is negative or the product (of
// the dimensions that are not 0) does not fit 63 bits, so that strides of such a shape never overflow either.
[[nodiscard]] inline std::optional<std::int64_t> element_count(const Shape& shape) {
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, size, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

// Elements to step for one step along each dimension, the last one contiguous (row-major). `shape` must be
// one that element_count accepts; a dimension of 0 counts as 1.
[[nodiscard]] inline std::vector<std::int64_t> contiguous_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i] > 0 ? shape[i] : 1;
  }
  return strides;
}

// "()", "(4)", "(2, 4)".
[[nodiscard]] inline std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + ")";
}

}  // namespace fib::tensor
