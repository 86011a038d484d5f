#pragma once

#include "fib_torch/tensor.h"

// Sizes and strides in memory: how many bytes they take, and the format that torch reads from strides.
namespace at::detail {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

// Bytes of a memory that holds all elements; nothing where no memory does. Negative strides have none.
inline optional<std::uint64_t> bytes_spanned(IntArrayRef sizes, IntArrayRef strides, std::size_t itemsize,
                                             std::int64_t offset = 0) {
  std::uint64_t count = static_cast<std::uint64_t>(offset) + 1;
  bool fits = true;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] == 0) return 0;
    std::uint64_t reach = 0;
    fits &= !__builtin_mul_overflow(static_cast<std::uint64_t>(strides[axis]),
                                    static_cast<std::uint64_t>(sizes[axis] - 1), &reach);
    fits &= !__builtin_add_overflow(count, reach, &count);
  }
  fits &= !__builtin_mul_overflow(count, itemsize, &count);
  return fits && count <= kMostBytes ? optional<std::uint64_t>(count) : nullopt;
}

// The same, or torch's error.
inline std::size_t storage_bytes(IntArrayRef sizes, IntArrayRef strides, std::size_t itemsize,
                                 std::int64_t offset = 0) {
  TORCH_CHECK(sizes.size() == strides.size(), "dimensionality of sizes (", sizes.size(),
              ") must match dimensionality of strides (", strides.size(), ")");
  const auto bytes = bytes_spanned(sizes, strides, itemsize, offset);
  TORCH_CHECK(bytes, "Storage size calculation overflowed with sizes=", sizes, " and strides=", strides);
  return *bytes;
}

// The axes of a tensor with channels, from the fastest in memory to the slowest, where channels lie last:
// NCHW and NCDHW. Other numbers of axes have no such order.
inline std::vector<std::size_t> channels_last_axes(std::size_t count) {
  if (count == 4) return {1, 3, 2, 0};
  if (count == 5) return {1, 4, 3, 2, 0};
  return {};
}

// Whether torch takes a tensor for one whose channels lie last. It judges by the strides alone, those of axes
// of size 1 included, and takes what could be either way for contiguous.
inline bool is_channels_last(const Tensor& tensor) {
  const auto axes = channels_last_axes(tensor.sizes().size());
  if (axes.empty() || tensor.strides()[1] == 0) return false;
  std::int64_t least = 0;
  for (const auto axis : axes) {
    const auto size = tensor.sizes()[axis];
    const auto stride = tensor.strides()[axis];
    if (size == 0 || stride < least) return false;
    if (axis == 0 && least == tensor.strides()[1]) return false;
    least = stride * std::max<std::int64_t>(size, 1);
  }
  return true;
}

inline std::vector<std::int64_t> channels_last_strides(IntArrayRef sizes) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t step = 1;
  for (const auto axis : channels_last_axes(sizes.size())) {
    strides[axis] = step;
    step *= sizes[axis];
  }
  return strides;
}

// The format that options or an argument ask for: not both may.
inline optional<MemoryFormat> format_of(const TensorOptions& options, optional<MemoryFormat> argument) {
  TORCH_CHECK(
      !options.memory_format_opt() || !argument,
      "Cannot set memory_format both in TensorOptions and explicit argument; please delete the redundant "
      "setter.");
  return argument ? argument : options.memory_format_opt();
}

}  // namespace at::detail
