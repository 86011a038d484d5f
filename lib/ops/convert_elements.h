#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/tensor.h"

namespace fib::ops {

// The three types that operations compute in: float for float32 and smaller floats, double for float64, int64
// for integers and bool. These convert `count` contiguous elements from and to them. Floats become integers
// by truncation; integers that do not fit a smaller integer type wrap around, as in torch; anything but 0 is
// true.
void load_elements(DType dtype, const std::byte* source, float* target, std::size_t count);
void load_elements(DType dtype, const std::byte* source, double* target, std::size_t count);
void load_elements(DType dtype, const std::byte* source, std::int64_t* target, std::size_t count);
void store_elements(DType dtype, const float* source, std::byte* target, std::size_t count);
void store_elements(DType dtype, const double* source, std::byte* target, std::size_t count);
void store_elements(DType dtype, const std::int64_t* source, std::byte* target, std::size_t count);

// Whether elements of a dtype are Real already, so that they need no conversion.
[[nodiscard]] inline bool is_native(DType dtype, const float*) { return dtype == DType::kFloat32; }
[[nodiscard]] inline bool is_native(DType dtype, const double*) { return dtype == DType::kFloat64; }
[[nodiscard]] inline bool is_native(DType dtype, const std::int64_t*) { return dtype == DType::kInt64; }

// Copies `count` elements of `size` bytes (1, 2, 4 or 8) that lie `from_stride` and `to_stride` elements
// apart.
void copy_strided(std::size_t size, const std::byte* from, std::int64_t from_stride, std::byte* to,
                  std::int64_t to_stride, std::int64_t count);

// Calls body with a value of the type to compute in: body(float{}), body(double{}) or body(std::int64_t{}).
template <typename Body>
decltype(auto) with_compute_type(DType dtype, Body&& body) {
  if (dtype == DType::kFloat64) return body(double{});
  if (tensor::is_floating(dtype)) return body(float{});
  return body(std::int64_t{});
}

}  // namespace fib::ops
