#pragma once

#include <cstdint>
#include <type_traits>

#include "fib_torch/small_floats.h"
#include "tvm_ffi/abi.h"

// Elements from one dtype to another, on host and device, as torch converts: small floats by way of float,
// fractions cut off, everything but zero true.
namespace fib::torch_headers {

template <typename T>
inline constexpr bool is_small = std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16> ||
                                 std::is_same_v<T, c10::Float8_e4m3fn> || std::is_same_v<T, c10::Float8_e5m2>;

// A bool in memory, whatever its byte is.
struct Truth {
  std::uint8_t byte;
};

template <typename To, typename From>
FIB_HOST_DEVICE To converted(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, Truth>) {
    return converted<To>(static_cast<std::int32_t>(value.byte != 0));
  } else if constexpr (std::is_same_v<To, Truth>) {
    return Truth{static_cast<std::uint8_t>(static_cast<bool>(value != From(0)))};
  } else if constexpr (is_small<From>) {
    return converted<To>(static_cast<float>(value));
  } else if constexpr (is_small<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, std::uint8_t> && std::is_floating_point_v<From>) {
    return static_cast<To>(static_cast<std::int64_t>(value));
  } else {
    return static_cast<To>(value);
  }
}

// The dtypes between which elements are converted, with their codes and bits.
#define FIB_TORCH_CONVERTED(_)                            \
  _(double, ::fib::tvm_ffi::kFloat, 64)                   \
  _(float, ::fib::tvm_ffi::kFloat, 32)                    \
  _(c10::Half, ::fib::tvm_ffi::kFloat, 16)                \
  _(c10::BFloat16, ::fib::tvm_ffi::kBfloat, 16)           \
  _(c10::Float8_e4m3fn, ::fib::tvm_ffi::kFloat8E4M3FN, 8) \
  _(c10::Float8_e5m2, ::fib::tvm_ffi::kFloat8E5M2, 8)     \
  _(std::int64_t, ::fib::tvm_ffi::kInt, 64)               \
  _(std::int32_t, ::fib::tvm_ffi::kInt, 32)               \
  _(std::int16_t, ::fib::tvm_ffi::kInt, 16)               \
  _(std::int8_t, ::fib::tvm_ffi::kInt, 8)                 \
  _(std::uint8_t, ::fib::tvm_ffi::kUInt, 8)               \
  _(Truth, ::fib::tvm_ffi::kBool, 8)

FIB_HOST_DEVICE constexpr std::uint32_t code_of(std::uint8_t code, std::uint8_t bits) {
  return (static_cast<std::uint32_t>(code) << 8U) | bits;
}
inline std::uint32_t code_of(const tvm_ffi::DataType& dtype) { return code_of(dtype.code, dtype.bits); }
inline std::int64_t bytes_of(const tvm_ffi::DataType& dtype) { return dtype.bits * dtype.lanes / 8; }

// The axes of two tensors of the same sizes, those of size 1 left out, those that lie one behind the other in
// both joined. The last one is the fastest.
constexpr int kMostAxes = 64;
struct Axes {
  int count = 0;
  std::int64_t elements = 1;
  std::int64_t sizes[kMostAxes] = {};
  std::int64_t to[kMostAxes] = {};    // strides, in elements
  std::int64_t from[kMostAxes] = {};  // the same of the other
};

inline Axes joined_axes(const tvm_ffi::TensorView& to, const tvm_ffi::TensorView& from) {
  Axes axes;
  for (int axis = 0; axis < to.ndim && axis < kMostAxes; ++axis) {
    const auto size = to.shape[axis];
    axes.elements *= size;
    if (size == 1) continue;
    const int last = axes.count - 1;
    if (last >= 0 && axes.to[last] == size * to.strides[axis] &&
        axes.from[last] == size * from.strides[axis]) {
      axes.sizes[last] *= size;
      axes.to[last] = to.strides[axis];
      axes.from[last] = from.strides[axis];
      continue;
    }
    axes.sizes[axes.count] = size;
    axes.to[axes.count] = to.strides[axis];
    axes.from[axes.count] = from.strides[axis];
    ++axes.count;
  }
  return axes;
}

// Whether all elements lie one behind the other in both.
inline bool is_one_piece(const Axes& axes) {
  return axes.count == 0 || (axes.count == 1 && axes.to[0] == 1 && axes.from[0] == 1);
}

}  // namespace fib::torch_headers
