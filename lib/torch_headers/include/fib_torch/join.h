#pragma once

#include "fib_torch/data.h"

// Several tensors as one.
namespace c10 {

// The dtype that torch gives to what is made of two.
inline ScalarType promoteTypes(ScalarType a, ScalarType b) {
  if (a == b) return a;
  TORCH_CHECK(!isFloat8Type(a) && !isFloat8Type(b) && a != kFloat4_e2m1fn_x2 && b != kFloat4_e2m1fn_x2,
              "Promotion for Float8 Types is not supported, attempted to promote ", a, " and ", b);
  // From the narrow to the wide; what is not here are pairs that need a third one.
  constexpr ScalarType kOrder[] = {kBool, kChar, kShort, kInt, kLong, kHalf, kFloat, kDouble};
  const auto rank = [&](ScalarType dtype) {
    if (dtype == kByte) dtype = kChar;
    if (dtype == kBFloat16) dtype = kHalf;
    return std::find(std::begin(kOrder), std::end(kOrder), dtype) - std::begin(kOrder);
  };
  if (rank(a) != rank(b)) return rank(a) > rank(b) ? a : b;
  return a == kHalf || a == kBFloat16 ? kFloat : kShort;
}

}  // namespace c10

namespace at {

inline ScalarType promote_types(ScalarType a, ScalarType b) { return c10::promoteTypes(a, b); }

inline Tensor cat(TensorList tensors, std::int64_t axis = 0) {
  TORCH_CHECK_VALUE(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  const auto is_skipped = [](const Tensor& one) { return one.dim() == 1 && one.size(0) == 0; };
  ScalarType dtype = tensors[0].scalar_type();
  const Tensor* first = nullptr;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    TORCH_CHECK(tensors[i].dim() > 0, "zero-dimensional tensor (at position ", i, ") cannot be concatenated");
    dtype = c10::promoteTypes(dtype, tensors[i].scalar_type());
    if (first == nullptr && !is_skipped(tensors[i])) first = &tensors[i];
  }
  const auto options = TensorOptions(dtype).device(tensors[0].device());
  if (first == nullptr) return empty({0}, options);
  axis = detail::wrapped_axis(axis, first->dim());
  auto sizes = first->sizes().vec();
  auto& length = sizes[static_cast<std::size_t>(axis)];
  length = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& one = tensors[i];
    if (is_skipped(one)) continue;
    TORCH_CHECK(one.dim() == first->dim(), "Tensors must have same number of dimensions: got ", first->dim(),
                " and ", one.dim());
    TORCH_CHECK(one.device() == first->device(),
                "Expected all tensors to be on the same device, but found at least two devices, ",
                first->device(), " and ", one.device(), "!");
    for (std::int64_t other = 0; other < first->dim(); ++other) {
      TORCH_CHECK(other == axis || one.size(other) == first->size(other),
                  "Sizes of tensors must match except in dimension ", axis, ". Expected size ",
                  first->size(other), " but got size ", one.size(other), " for tensor number ", i,
                  " in the list.");
    }
    length += one.size(axis);
  }
  // Channels last where they are in all tensors, those that are skipped included.
  const bool channels_last = std::all_of(tensors.begin(), tensors.end(), detail::is_channels_last);
  auto result = channels_last ? empty_strided(sizes, detail::channels_last_strides(sizes), options)
                              : empty(sizes, options);
  std::int64_t begin = 0;
  for (const auto& one : tensors) {
    if (is_skipped(one)) continue;
    result.narrow(axis, begin, one.size(axis)).copy_(one);
    begin += one.size(axis);
  }
  return result;
}
inline Tensor concat(TensorList tensors, std::int64_t axis = 0) { return cat(tensors, axis); }

inline Tensor stack(TensorList tensors, std::int64_t axis = 0) {
  TORCH_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  axis = detail::wrapped_axis(axis, tensors[0].dim() + 1);
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    TORCH_CHECK(tensors[i].sizes() == tensors[0].sizes(),
                "stack expects each tensor to be equal size, but got ", tensors[0].sizes(),
                " at entry 0 and ", tensors[i].sizes(), " at entry ", i);
  }
  if (axis < tensors[0].dim()) {
    auto sizes = tensors[0].sizes().vec();
    sizes.insert(sizes.begin() + axis, static_cast<std::int64_t>(tensors.size()));
    return cat(tensors, axis).view(sizes);
  }
  std::vector<Tensor> parts;
  for (const auto& one : tensors) parts.push_back(one.unsqueeze(axis));
  return cat(parts, axis);
}

}  // namespace at
