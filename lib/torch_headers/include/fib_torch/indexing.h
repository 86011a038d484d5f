#pragma once

#include "fib_torch/data.h"

// Elements by numbers, ranges, None and "...": x.index({0, Slice(1, 3)}), and values written there.
namespace at {

namespace detail {

using indexing::TensorIndex;
using indexing::TensorIndexType;

// `position` is the number's place among the indices.
inline Tensor at_number(const Tensor& tensor, std::int64_t axis, std::int64_t index, std::size_t position) {
  TORCH_CHECK_INDEX(tensor.dim() > 0,
                    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                    "C++ to convert a 0-dim tensor to a number");
  const auto length = tensor.size(axis);
  TORCH_CHECK_INDEX(index >= -length && index < length, "index ", index, " is out of bounds for dimension ",
                    position, " with size ", length);
  return tensor.select(axis, index);
}

inline Tensor in_range(const Tensor& tensor, std::int64_t axis, const indexing::Slice& range) {
  TORCH_CHECK_VALUE(range.step > 0, "step must be greater than zero");
  return tensor.slice(axis, range.begin, range.end, range.step);
}

inline Tensor at_indices(const Tensor& tensor, ArrayRef<TensorIndex> indices) {
  std::int64_t taken = 0;
  for (const auto& one : indices)
    taken += one.type == TensorIndexType::Integer || one.type == TensorIndexType::Slice ? 1 : 0;
  // torch counts them only where there are several.
  TORCH_CHECK_INDEX(indices.size() == 1 || taken <= tensor.dim(), "too many indices for tensor of dimension ",
                    tensor.dim());
  Tensor result = tensor.as_strided(tensor.sizes(), tensor.strides());
  std::int64_t axis = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto& one = indices[i];
    switch (one.type) {
      case TensorIndexType::None:
        result = result.unsqueeze(axis++);
        break;
      case TensorIndexType::Ellipsis:
        axis += tensor.dim() - taken;
        break;
      case TensorIndexType::Integer:
        result = at_number(result, axis, one.integer, i);
        break;
      case TensorIndexType::Slice:
        result = in_range(result, axis++, one.slice);
        break;
    }
  }
  return result;
}

// As Python's assignment to x[…] does: axes of size 1 in front of the values do not count.
inline void assign(const Tensor& target, const Tensor& values) {
  if (target.sizes() == values.sizes()) {
    target.copy_(values);
  } else if (values.dim() == 0 && values.is_cpu()) {
    if (target.device() != values.device()) {
      target.fill_(values.item());
    } else {
      target.copy_(target.is_alias_of(values) ? values.clone() : values);
    }
  } else {
    std::size_t ones = 0;
    while (ones < values.sizes().size() && values.sizes()[ones] == 1) ++ones;
    const Tensor rest = values.view(values.sizes().slice(ones));
    target.copy_(rest.sizes() == target.sizes() ? rest : rest.expand(target.sizes()));
  }
}

}  // namespace detail

inline Tensor Tensor::index(ArrayRef<indexing::TensorIndex> indices) const {
  TORCH_CHECK(!indices.empty(), "Passing an empty index list to Tensor::index() is not valid syntax");
  static_cast<void>(device());  // there is none without a tensor
  return detail::at_indices(*this, indices);
}

inline Tensor& Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices,
                                  const Tensor& values) {
  TORCH_CHECK(indices.size() > 0, "Passing an empty index list to Tensor::index_put_() is not valid syntax");
  detail::assign(detail::at_indices(*this, indices), values);
  return *this;
}

inline Tensor& Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar& value) {
  TORCH_CHECK(indices.size() > 0, "Passing an empty index list to Tensor::index_put_() is not valid syntax");
  return index_put_(indices, scalar_tensor(value, TensorOptions(scalar_type())));
}

}  // namespace at
