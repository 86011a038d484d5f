#include <cstring>

#include "fib_torch/convert.h"

// What fib_torch/runtime.h declares for tensors in host memory.
namespace fib::torch_headers {
namespace {

using tvm_ffi::TensorView;

// Calls `row(to, from)` with the places of the first elements of each run along the last axis.
template <typename Row>
void each_row(const Axes& axes, Row row) {
  std::int64_t at[kMostAxes] = {};
  std::int64_t to = 0;
  std::int64_t from = 0;
  while (true) {
    row(to, from);
    int axis = axes.count - 2;
    for (; axis >= 0; --axis) {
      to += axes.to[axis];
      from += axes.from[axis];
      if (++at[axis] < axes.sizes[axis]) break;
      to -= at[axis] * axes.to[axis];
      from -= at[axis] * axes.from[axis];
      at[axis] = 0;
    }
    if (axis < 0) return;
  }
}

template <typename To, typename From>
void copy_as(const Axes& axes, void* to, const void* from) {
  const int last = axes.count - 1;
  const std::int64_t length = last < 0 ? 1 : axes.sizes[last];
  const std::int64_t to_step = last < 0 ? 1 : axes.to[last];
  const std::int64_t from_step = last < 0 ? 1 : axes.from[last];
  each_row(axes, [&](std::int64_t to_at, std::int64_t from_at) {
    auto* target = static_cast<To*>(to) + to_at;
    const auto* source = static_cast<const From*>(from) + from_at;
    for (std::int64_t i = 0; i < length; ++i) target[i * to_step] = converted<To>(source[i * from_step]);
  });
}

template <typename From>
void copy_from(const Axes& axes, const TensorView& to, const void* from) {
  switch (code_of(to.dtype)) {
#define FIB_TORCH_TO(type, code, bits) \
  case code_of(code, bits):            \
    return copy_as<type, From>(axes, to.data, from);
    FIB_TORCH_CONVERTED(FIB_TORCH_TO)
#undef FIB_TORCH_TO
    default:  // bytes of no number: of the same dtype, as copy() has seen
      return copy_as<std::uint8_t, std::uint8_t>(axes, to.data, from);
  }
}

void copy(const TensorView& to, const TensorView& from) {
  const Axes axes = joined_axes(to, from);
  if (axes.elements == 0) return;
  const bool same = to.dtype == from.dtype;
  if (same && is_one_piece(axes)) {
    std::memcpy(to.data, from.data, static_cast<std::size_t>(axes.elements * bytes_of(to.dtype)));
    return;
  }
  switch (code_of(from.dtype)) {
#define FIB_TORCH_FROM(type, code, bits) \
  case code_of(code, bits):              \
    return copy_from<type>(axes, to, from.data);
    FIB_TORCH_CONVERTED(FIB_TORCH_FROM)
#undef FIB_TORCH_FROM
    default:
      if (same) copy_as<std::uint8_t, std::uint8_t>(axes, to.data, from.data);
  }
}

template <typename Bits>
void fill_as(const TensorView& to, const void* value) {
  Bits bits = 0;
  std::memcpy(&bits, value, sizeof bits);
  const Axes axes = joined_axes(to, to);
  const int last = axes.count - 1;
  const std::int64_t length = last < 0 ? 1 : axes.sizes[last];
  const std::int64_t step = last < 0 ? 1 : axes.to[last];
  each_row(axes, [&](std::int64_t at, std::int64_t /*from*/) {
    auto* target = static_cast<Bits*>(to.data) + at;
    for (std::int64_t i = 0; i < length; ++i) target[i * step] = bits;
  });
}

}  // namespace
}  // namespace fib::torch_headers

extern "C" {

void fib_torch_copy(const fib::tvm_ffi::TensorView* to, const fib::tvm_ffi::TensorView* from) {
  fib::torch_headers::copy(*to, *from);
}

void fib_torch_fill(const fib::tvm_ffi::TensorView* to, const void* value) {
  using namespace fib::torch_headers;
  switch (bytes_of(to->dtype)) {
    case 2:
      return fill_as<std::uint16_t>(*to, value);
    case 4:
      return fill_as<std::uint32_t>(*to, value);
    case 8:
      return fill_as<std::uint64_t>(*to, value);
    default:
      return fill_as<std::uint8_t>(*to, value);
  }
}

}  // extern "C"
