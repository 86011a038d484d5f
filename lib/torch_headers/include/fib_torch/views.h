#pragma once

#include "fib_torch/formats.h"

// Tensors over the elements of others.
namespace at {

namespace detail {

inline std::vector<std::int64_t> contiguous_strides(IntArrayRef sizes) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t step = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= std::max<std::int64_t>(sizes[axis], 1);
  }
  return strides;
}

inline std::int64_t wrapped_axis(std::int64_t axis, std::int64_t count) {
  TORCH_CHECK_INDEX(count > 0, "Dimension specified as ", axis, " but tensor has no dimensions");
  TORCH_CHECK_INDEX(axis >= -count && axis < count, "Dimension out of range (expected to be in range of [",
                    -count, ", ", count - 1, "], but got ", axis, ")");
  return axis < 0 ? axis + count : axis;
}

// For functions that take an axis of a tensor without axes for the one of a tensor with one.
inline std::int64_t wrapped_axis_or_none(std::int64_t axis, std::int64_t count) {
  return wrapped_axis(axis, std::max<std::int64_t>(count, 1));
}

// Sizes of which one may be -1.
inline std::vector<std::int64_t> inferred_sizes(IntArrayRef sizes, std::int64_t count) {
  std::vector<std::int64_t> inferred = sizes.vec();
  std::int64_t known = 1;
  optional<std::size_t> open;
  for (std::size_t axis = 0; axis < inferred.size(); ++axis) {
    if (inferred[axis] == -1) {
      TORCH_CHECK(!open, "only one dimension can be inferred");
      open = axis;
    } else {
      TORCH_CHECK(inferred[axis] >= 0, "invalid shape dimension ", inferred[axis], " at index ", axis,
                  " of shape ", sizes);
      known *= inferred[axis];
    }
  }
  const bool fits = count == known || (open && known > 0 && count % known == 0);
  TORCH_CHECK(fits, "shape '", sizes, "' is invalid for input of size ", count);
  if (open) {
    TORCH_CHECK(known != 0, "cannot reshape tensor of 0 elements into shape ", sizes,
                " because the unspecified dimension size -1 can be any value and is ambiguous");
    inferred[*open] = count / known;
  }
  return inferred;
}

// Strides with which new sizes go over the same elements in the same order; nothing where none do.
inline optional<std::vector<std::int64_t>> strides_of_view(IntArrayRef sizes, IntArrayRef strides,
                                                           IntArrayRef new_sizes) {
  if (sizes.empty()) return std::vector<std::int64_t>(new_sizes.size(), 1);
  if (product(sizes) == 0) return sizes == new_sizes ? strides.vec() : contiguous_strides(new_sizes);
  std::vector<std::int64_t> result(new_sizes.size());
  auto view = static_cast<std::int64_t>(new_sizes.size()) - 1;
  std::int64_t chunk_stride = strides.back();
  std::int64_t count = 1;
  std::int64_t view_count = 1;
  for (auto axis = static_cast<std::int64_t>(sizes.size()) - 1; axis >= 0; --axis) {
    const auto at = static_cast<std::size_t>(axis);
    count *= sizes[at];
    // The end of axes that lie one behind the other in memory.
    if (axis > 0 && (sizes[at - 1] == 1 || strides[at - 1] == count * chunk_stride)) continue;
    while (view >= 0 && (view_count < count || new_sizes[static_cast<std::size_t>(view)] == 1)) {
      result[static_cast<std::size_t>(view)] = view_count * chunk_stride;
      view_count *= new_sizes[static_cast<std::size_t>(view)];
      --view;
    }
    if (view_count != count) return nullopt;
    if (axis > 0) {
      chunk_stride = strides[at - 1];
      count = 1;
      view_count = 1;
    }
  }
  if (view != -1) return nullopt;
  return result;
}

}  // namespace detail

inline bool Tensor::is_contiguous(MemoryFormat /*format*/) const {
  std::int64_t expected = 1;
  if (numel() == 0) return true;
  for (std::size_t axis = sizes().size(); axis-- > 0;) {
    if (sizes()[axis] == 1) continue;
    if (strides()[axis] != expected) return false;
    expected *= sizes()[axis];
  }
  return true;
}

inline bool Tensor::is_non_overlapping_and_dense() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // strides and sizes
  for (std::size_t axis = 0; axis < sizes().size(); ++axis) {
    if (sizes()[axis] == 0) return true;
    if (sizes()[axis] != 1) axes.emplace_back(strides()[axis], sizes()[axis]);
  }
  std::sort(axes.begin(), axes.end());
  std::int64_t expected = 1;
  for (const auto& [stride, size] : axes) {
    if (stride != expected) return false;
    expected *= size;
  }
  return true;
}

inline void* Tensor::data_ptr() const {
  TORCH_CHECK(defined(), "Cannot access data pointer of Tensor that doesn't have storage");
  return numel() == 0 ? nullptr : storage_at_offset();
}

inline void* Tensor::storage_at_offset() const {
  TORCH_CHECK(defined(), "Cannot access data pointer of Tensor that doesn't have storage");
  if (impl().storage->data == nullptr) return nullptr;
  return static_cast<std::byte*>(impl().storage->data) + impl().offset * element_size();
}

inline detail::abi::TensorView Tensor::described() const {
  detail::abi::TensorView view;
  view.data = data_ptr();
  view.device = {is_cuda() ? detail::abi::kCuda : detail::abi::kCpu, is_cuda() ? device().index() : 0};
  view.ndim = static_cast<std::int32_t>(dim());
  view.dtype = detail::data_type_of(scalar_type());
  view.shape = impl().sizes.data();
  view.strides = impl().strides.data();
  return view;
}

inline Tensor Tensor::with(std::int64_t offset, std::vector<std::int64_t> new_sizes,
                           std::vector<std::int64_t> new_strides) const {
  check_defined();
  std::int64_t count = 1;
  bool fits = true;
  for (const auto size : new_sizes) fits &= !__builtin_mul_overflow(count, size, &count);
  TORCH_CHECK(fits && count >= 0, "numel: integer multiplication overflow");
  auto other = std::make_shared<detail::TensorImpl>(impl());
  other->offset = offset;
  other->sizes = std::move(new_sizes);
  other->strides = std::move(new_strides);
  return Tensor(std::move(other));
}

inline Tensor Tensor::as_strided(IntArrayRef new_sizes, IntArrayRef new_strides,
                                 optional<std::int64_t> offset) const {
  check_defined();
  TORCH_CHECK(new_sizes.size() == new_strides.size(), "mismatch in length of strides and shape");
  for (const auto stride : new_strides)
    TORCH_CHECK(stride >= 0,
                "as_strided: Negative strides are not supported at the moment, got strides: ", new_strides);
  const auto begin = offset.value_or(storage_offset());
  const auto own = detail::storage_bytes(new_sizes, new_strides, itemsize());
  const auto needed = detail::storage_bytes(new_sizes, new_strides, itemsize(), begin);
  TORCH_CHECK(own == 0 || needed <= impl().storage->bytes, "setStorage: sizes ", new_sizes, ", strides ",
              new_strides, ", storage offset ", begin, ", and itemsize ", itemsize(),
              " requiring a storage size of ", needed, " are out of bounds for storage of size ",
              impl().storage->bytes);
  TORCH_CHECK(begin >= 0, "Tensor: invalid storage offset ", begin);
  return with(begin, new_sizes.vec(), new_strides.vec());
}

inline Tensor Tensor::view(IntArrayRef new_sizes) const {
  auto inferred = detail::inferred_sizes(new_sizes, numel());
  auto new_strides = detail::strides_of_view(sizes(), strides(), inferred);
  TORCH_CHECK(new_strides,
              "view size is not compatible with input tensor's size and stride (at least one dimension spans "
              "across two contiguous subspaces). Use .reshape(...) instead.");
  return with(storage_offset(), std::move(inferred), std::move(*new_strides));
}

inline Tensor Tensor::view(ScalarType dtype) const {
  check_defined();
  auto view = with(storage_offset(), sizes().vec(), strides().vec());
  const auto from = element_size();
  const auto to = static_cast<std::int64_t>(elementSize(dtype));
  view.impl().dtype = dtype;
  view.impl().requires_grad = false;
  if (from == to) return view;
  TORCH_CHECK(dim() != 0, "self.dim() cannot be 0 to view ", scalar_type(), " as ", dtype,
              " (different element sizes)");
  const auto check_last_stride = [&] {
    TORCH_CHECK(stride(-1) == 1, "self.stride(-1) must be 1 to view ", scalar_type(), " as ", dtype,
                " (different element sizes), but got ", stride(-1));
  };
  auto& changed = view.impl();
  if (from > to) {
    check_last_stride();
    const auto factor = from / to;
    changed.sizes.back() *= factor;
    for (std::size_t axis = 0; axis + 1 < changed.strides.size(); ++axis) changed.strides[axis] *= factor;
    changed.offset *= factor;
    return view;
  }
  const auto factor = to / from;
  TORCH_CHECK(size(-1) % factor == 0, "self.size(-1) must be divisible by ", factor, " to view ",
              scalar_type(), " as ", dtype, " (different element sizes), but got ", size(-1));
  TORCH_CHECK(storage_offset() % factor == 0, "self.storage_offset() must be divisible by ", factor,
              " to view ", scalar_type(), " as ", dtype, " (different element sizes), but got ",
              storage_offset());
  check_last_stride();
  for (std::size_t axis = 0; axis + 1 < changed.strides.size(); ++axis) {
    TORCH_CHECK(changed.strides[axis] % factor == 0, "self.stride(", axis, ") must be divisible by ", factor,
                " to view ", scalar_type(), " as ", dtype, " (different element sizes), but got ",
                changed.strides[axis]);
    changed.strides[axis] /= factor;
  }
  changed.sizes.back() /= factor;
  changed.offset /= factor;
  return view;
}

inline Tensor Tensor::reshape(IntArrayRef new_sizes) const {
  auto inferred = detail::inferred_sizes(new_sizes, numel());
  if (auto new_strides = detail::strides_of_view(sizes(), strides(), inferred))
    return with(storage_offset(), std::move(inferred), std::move(*new_strides));
  return clone(MemoryFormat::Contiguous).view(inferred);
}

inline Tensor Tensor::flatten(std::int64_t first, std::int64_t last) const {
  first = detail::wrapped_axis_or_none(first, dim());
  last = detail::wrapped_axis_or_none(last, dim());
  TORCH_CHECK(first <= last, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (dim() == 0) return reshape({1});
  if (first == last) return *this;
  std::vector<std::int64_t> shape(sizes().begin(), sizes().begin() + first);
  shape.push_back(std::accumulate(sizes().begin() + first, sizes().begin() + last + 1, std::int64_t{1},
                                  std::multiplies<>()));
  shape.insert(shape.end(), sizes().begin() + last + 1, sizes().end());
  return reshape(shape);
}

inline Tensor Tensor::squeeze() const {
  std::vector<std::int64_t> new_sizes;
  std::vector<std::int64_t> new_strides;
  for (std::size_t axis = 0; axis < sizes().size(); ++axis) {
    if (sizes()[axis] == 1) continue;
    new_sizes.push_back(sizes()[axis]);
    new_strides.push_back(strides()[axis]);
  }
  return with(storage_offset(), std::move(new_sizes), std::move(new_strides));
}

inline Tensor Tensor::squeeze(std::int64_t axis) const {
  axis = detail::wrapped_axis_or_none(axis, dim());
  if (dim() == 0 || size(axis) != 1) return with(storage_offset(), sizes().vec(), strides().vec());
  auto new_sizes = sizes().vec();
  auto new_strides = strides().vec();
  new_sizes.erase(new_sizes.begin() + axis);
  new_strides.erase(new_strides.begin() + axis);
  return with(storage_offset(), std::move(new_sizes), std::move(new_strides));
}

inline Tensor Tensor::unsqueeze(std::int64_t axis) const {
  axis = detail::wrapped_axis(axis, dim() + 1);
  auto new_sizes = sizes().vec();
  auto new_strides = strides().vec();
  const std::int64_t step = axis >= dim() ? 1 : size(axis) * stride(axis);
  new_sizes.insert(new_sizes.begin() + axis, 1);
  new_strides.insert(new_strides.begin() + axis, step);
  return with(storage_offset(), std::move(new_sizes), std::move(new_strides));
}

inline Tensor Tensor::transpose(std::int64_t a, std::int64_t b) const {
  a = detail::wrapped_axis_or_none(a, dim());
  b = detail::wrapped_axis_or_none(b, dim());
  auto new_sizes = sizes().vec();
  auto new_strides = strides().vec();
  if (a != b) {
    std::swap(new_sizes[static_cast<std::size_t>(a)], new_sizes[static_cast<std::size_t>(b)]);
    std::swap(new_strides[static_cast<std::size_t>(a)], new_strides[static_cast<std::size_t>(b)]);
  }
  return with(storage_offset(), std::move(new_sizes), std::move(new_strides));
}

inline Tensor Tensor::t() const {
  TORCH_CHECK(dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", dim(), "D");
  return transpose(0, dim() < 2 ? 0 : 1);
}

inline Tensor Tensor::permute(IntArrayRef axes) const {
  TORCH_CHECK(
      axes.size() == sizes().size(),
      "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
      "desired ordering of dimensions i.e. input.dim() = ",
      dim(), " is not equal to len(dims) = ", axes.size());
  std::vector<std::int64_t> new_sizes;
  std::vector<std::int64_t> new_strides;
  std::vector<bool> seen(sizes().size());
  for (const auto given : axes) {
    const auto axis = static_cast<std::size_t>(detail::wrapped_axis(given, dim()));
    TORCH_CHECK(!seen[axis], "permute(): duplicate dims are not allowed.");
    seen[axis] = true;
    new_sizes.push_back(sizes()[axis]);
    new_strides.push_back(strides()[axis]);
  }
  return with(storage_offset(), std::move(new_sizes), std::move(new_strides));
}

inline Tensor Tensor::select(std::int64_t axis, std::int64_t index) const {
  TORCH_CHECK_INDEX(dim() > 0, "select() cannot be applied to a 0-dim tensor.");
  axis = detail::wrapped_axis(axis, dim());
  const auto length = size(axis);
  TORCH_CHECK_INDEX(index >= -length && index < length, "select(): index ", index,
                    " out of range for tensor of size ", sizes(), " at dimension ", axis);
  if (index < 0) index += length;
  const std::int64_t offset = storage_offset() + index * stride(axis);
  auto new_sizes = sizes().vec();
  auto new_strides = strides().vec();
  new_sizes.erase(new_sizes.begin() + axis);
  new_strides.erase(new_strides.begin() + axis);
  return with(offset, std::move(new_sizes), std::move(new_strides));
}

inline Tensor Tensor::slice(std::int64_t axis, optional<std::int64_t> begin, optional<std::int64_t> end,
                            std::int64_t step) const {
  TORCH_CHECK(dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  axis = detail::wrapped_axis(axis, dim());
  TORCH_CHECK(step > 0, "slice step must be positive");
  const auto length = size(axis);
  const auto bounded = [&](std::int64_t index, std::int64_t least) {
    return std::min(std::max(index < 0 ? index + length : index, least), length);
  };
  const auto first = bounded(begin.value_or(0), 0);
  const auto last = bounded(end.value_or(length), first);
  auto new_sizes = sizes().vec();
  auto new_strides = strides().vec();
  const auto at = static_cast<std::size_t>(axis);
  new_sizes[at] = (last - first + step - 1) / step;
  new_strides[at] *= step;
  return with(storage_offset() + first * stride(axis), std::move(new_sizes), std::move(new_strides));
}

inline Tensor Tensor::narrow(std::int64_t axis, std::int64_t begin, std::int64_t length) const {
  TORCH_CHECK(dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  TORCH_CHECK(length >= 0, "narrow(): length must be non-negative.");
  const auto whole = size(axis);
  TORCH_CHECK_INDEX(begin >= -whole && begin <= whole, "start out of range (expected to be in range of [",
                    -whole, ", ", whole, "], but got ", begin, ")");
  if (begin < 0) begin += whole;
  TORCH_CHECK(begin <= whole - length, "start (", begin, ") + length (", length, ") exceeds dimension size (",
              whole, ").");
  return slice(axis, begin, begin + length);
}

inline Tensor Tensor::expand(IntArrayRef new_sizes, bool /*implicit*/) const {
  TORCH_CHECK(new_sizes.size() >= sizes().size(), "expand(", toString(), "{", sizes(), "}, size=", new_sizes,
              "): the number of sizes provided (", new_sizes.size(),
              ") must be greater or equal to the number of dimensions in the tensor (", dim(), ")");
  auto result = new_sizes.vec();
  std::vector<std::int64_t> new_strides(result.size());
  if (dim() == 0) return with(storage_offset(), std::move(result), std::move(new_strides));
  const auto more = result.size() - sizes().size();
  for (std::size_t axis = result.size(); axis-- > 0;) {
    const bool own = axis >= more;
    const std::int64_t size = own ? sizes()[axis - more] : 1;
    const std::int64_t stride = own ? strides()[axis - more] : 0;
    if (result[axis] == -1) {
      TORCH_CHECK(own,
                  "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension ",
                  axis);
      result[axis] = size;
    }
    TORCH_CHECK(size == 1 || size == result[axis], "The expanded size of the tensor (", result[axis],
                ") must match the existing size (", size, ") at non-singleton dimension ", axis,
                ".  Target sizes: ", new_sizes, ".  Tensor sizes: ", sizes());
    new_strides[axis] = size == result[axis] && own ? stride : 0;
    if (!own && result[axis] == 1) new_strides[axis] = result[axis + 1] * new_strides[axis + 1];
  }
  return with(storage_offset(), std::move(result), std::move(new_strides));
}

inline std::vector<Tensor> Tensor::split(std::int64_t part, std::int64_t axis) const {
  TORCH_CHECK(dim() != 0, "split expects at least a 1-dimensional tensor");
  TORCH_CHECK(part >= 0, "split expects split_size be non-negative, but got split_size=", part);
  const auto whole = size(axis);
  TORCH_CHECK(part > 0 || whole == 0,
              "split_size can only be 0 if dimension size is 0, but got dimension size of ", whole);
  std::vector<Tensor> parts;
  for (std::int64_t begin = 0; begin < whole || parts.empty(); begin += part)
    parts.push_back(narrow(axis, begin, std::min(part, whole - begin)));
  return parts;
}

inline std::vector<Tensor> Tensor::chunk(std::int64_t count, std::int64_t axis) const {
  TORCH_CHECK(dim() > 0, "chunk expects at least a 1-dimensional tensor");
  TORCH_CHECK(count > 0, "chunk expects `chunks` to be greater than 0, got: ", count);
  const auto part = (size(axis) + count - 1) / count;
  if (part > 0) return split(part, axis);
  std::vector<Tensor> parts(static_cast<std::size_t>(count), narrow(axis, 0, 0));
  return parts;
}

inline std::vector<Tensor> Tensor::unbind(std::int64_t axis) const {
  axis = detail::wrapped_axis_or_none(axis, dim());
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < size(axis); ++i) parts.push_back(select(axis, i));
  return parts;
}

}  // namespace at
