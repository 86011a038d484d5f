#include "ops/tensor.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "ops/gpu/operations.h"
#include "util/error.h"

namespace fib::ops {

std::int64_t count_of(const Shape& shape) {
  const auto count = tensor::element_count(shape);
  if (!count) throw Error("{} is no possible shape of a tensor", tensor::to_string(shape));
  return *count;
}

std::int64_t Tensor::numel() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

bool Tensor::is_contiguous() const {
  std::int64_t expected = 1;
  for (int dim = rank() - 1; dim >= 0; --dim) {
    if (size(dim) == 0) return true;
    if (size(dim) != 1 && stride(dim) != expected) return false;
    expected *= size(dim);
  }
  return true;
}

Tensor make_empty(const Runtime& runtime, DType dtype, const Shape& shape) {
  if (dtype == DType::kFloat4E2M1)
    throw Error("tensors of float4_e2m1 are not supported by the native reference engine");
  const std::int64_t count = count_of(shape);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<std::int64_t>(tensor::bits_of(dtype) / 8), &bytes)) {
    throw Error("a tensor of shape {} is too large", tensor::to_string(shape));
  }
  Tensor result;
  // With a GPU, only an operation decides where its result will lie.
  result.storage = runtime.gpu ? Storage::allocate_later(runtime.memory, static_cast<std::size_t>(bytes))
                               : Storage::allocate(runtime.memory, static_cast<std::size_t>(bytes));
  result.dtype = dtype;
  result.shape = shape;
  result.strides = tensor::contiguous_strides(shape);
  return result;
}

Tensor make_zeros(const Runtime& runtime, DType dtype, const Shape& shape) {
  Tensor result = make_empty(runtime, dtype, shape);
  if (gpu::clear(runtime, result)) return result;
  std::memset(result.storage->data(), 0, result.storage->bytes());
  return result;
}

std::vector<std::int64_t> memory_order(const Tensor& tensor) {
  std::vector<std::int64_t> order(tensor.shape.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return tensor.strides[static_cast<std::size_t>(a)] > tensor.strides[static_cast<std::size_t>(b)];
  });
  return order;
}

Tensor make_empty_like(const Runtime& runtime, DType dtype, const Tensor& model) {
  const std::vector<std::int64_t> order = memory_order(model);
  const Tensor in_memory = permute(model, order);
  if (model.is_contiguous() || !in_memory.is_contiguous()) return make_empty(runtime, dtype, model.shape);
  std::vector<std::int64_t> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return permute(make_empty(runtime, dtype, in_memory.shape), inverse);
}

int wrap_dim(std::int64_t dim, int rank) {
  const std::int64_t range = std::max(rank, 1);
  if (dim < -range || dim >= range) {
    throw Error("dimension {} is out of range for a tensor of {} dimensions", dim, rank);
  }
  return static_cast<int>(dim < 0 ? dim + range : dim);
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      throw Error("shapes {} and {} do not broadcast", tensor::to_string(a), tensor::to_string(b));
    }
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Tensor expand(const Tensor& tensor, const Shape& shape) {
  const auto fail = [&] {
    return Error("a tensor of shape {} does not expand to {}", tensor::to_string(tensor.shape),
                 tensor::to_string(shape));
  };
  if (shape.size() < tensor.shape.size()) throw fail();
  const std::size_t added = shape.size() - tensor.shape.size();
  Tensor result = tensor;
  result.shape = shape;
  result.strides.assign(shape.size(), 0);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i < added) {
      if (shape[i] < 0) throw fail();
      continue;
    }
    const std::int64_t size = tensor.shape[i - added];
    if (shape[i] == -1 || shape[i] == size) {
      result.shape[i] = size;
      result.strides[i] = tensor.strides[i - added];
    } else if (size != 1 || shape[i] < 0) {
      throw fail();
    }
  }
  (void)count_of(result.shape);  // the only view that can have more elements than memory
  return result;
}

Tensor permute(const Tensor& tensor, const std::vector<std::int64_t>& dims) {
  if (dims.size() != tensor.shape.size()) {
    throw Error("permute got {} dimensions for a tensor of {}", dims.size(), tensor.rank());
  }
  Tensor result = tensor;
  std::vector<bool> seen(dims.size(), false);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto dim = static_cast<std::size_t>(wrap_dim(dims[i], tensor.rank()));
    if (seen[dim]) throw Error("permute got dimension {} twice", dims[i]);
    seen[dim] = true;
    result.shape[i] = tensor.shape[dim];
    result.strides[i] = tensor.strides[dim];
  }
  return result;
}

Tensor transpose(const Tensor& tensor, std::int64_t dim0, std::int64_t dim1) {
  const auto a = static_cast<std::size_t>(wrap_dim(dim0, tensor.rank()));
  const auto b = static_cast<std::size_t>(wrap_dim(dim1, tensor.rank()));
  Tensor result = tensor;
  if (tensor.rank() == 0) return result;
  std::swap(result.shape[a], result.shape[b]);
  std::swap(result.strides[a], result.strides[b]);
  return result;
}

Tensor move_dim(const Tensor& tensor, int from, int to) {
  Tensor result = tensor;
  const auto move = [&](std::vector<std::int64_t>& values) {
    const std::int64_t value = values[static_cast<std::size_t>(from)];
    values.erase(values.begin() + from);
    values.insert(values.begin() + to, value);
  };
  if (tensor.rank() == 0) return result;
  move(result.shape);
  move(result.strides);
  return result;
}

Tensor unsqueeze(const Tensor& tensor, std::int64_t dim) {
  const int at = wrap_dim(dim, tensor.rank() + 1);
  Tensor result = tensor;
  const std::int64_t stride = at < tensor.rank() ? tensor.size(at) * tensor.stride(at) : 1;
  result.shape.insert(result.shape.begin() + at, 1);
  result.strides.insert(result.strides.begin() + at, stride);
  return result;
}

Tensor squeeze(const Tensor& tensor, std::optional<std::int64_t> dim) {
  const int only = dim ? wrap_dim(*dim, tensor.rank()) : -1;
  Tensor result = tensor;
  result.shape.clear();
  result.strides.clear();
  for (int i = 0; i < tensor.rank(); ++i) {
    if (tensor.size(i) == 1 && (only == -1 || only == i)) continue;
    result.shape.push_back(tensor.size(i));
    result.strides.push_back(tensor.stride(i));
  }
  return result;
}

Tensor select(const Tensor& tensor, std::int64_t dim, std::int64_t index) {
  if (tensor.rank() == 0) throw Error("a tensor without dimensions cannot be indexed");
  const int at = wrap_dim(dim, tensor.rank());
  const std::int64_t size = tensor.size(at);
  if (index < -size || index >= size) {
    throw Error("index {} is out of range for dimension {} of size {}", index, at, size);
  }
  Tensor result = tensor;
  result.offset += (index < 0 ? index + size : index) * tensor.stride(at);
  result.shape.erase(result.shape.begin() + at);
  result.strides.erase(result.strides.begin() + at);
  return result;
}

Tensor slice(const Tensor& tensor, int dim, std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (tensor.rank() == 0) throw Error("a tensor without dimensions cannot be sliced");
  if (step <= 0) throw Error("slices of tensors need a step above 0");
  const std::int64_t size = tensor.size(dim);
  const auto clip = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
  };
  const std::int64_t begin = clip(start);
  const std::int64_t end = std::max(begin, clip(stop));
  Tensor result = tensor;
  result.offset += begin * tensor.stride(dim);
  const std::int64_t length = end - begin;
  result.shape[static_cast<std::size_t>(dim)] = length / step + (length % step != 0 ? 1 : 0);
  // With at most one element left the stride is never used; a huge step must not overflow it.
  if (step < length) result.strides[static_cast<std::size_t>(dim)] *= step;
  return result;
}

Tensor narrow(const Tensor& tensor, int dim, std::int64_t start, std::int64_t length) {
  const std::int64_t size = tensor.size(dim);
  if (start < 0 || length < 0 || start > size - length) {
    throw Error("elements {} to {} are out of range for dimension {} of size {}", start, start + length, dim,
                size);
  }
  return slice(tensor, dim, start, start + length, 1);
}

Shape infer_shape(const Shape& shape, std::int64_t count) {
  const auto fail = [&] {
    return Error("shape {} does not fit {} elements", tensor::to_string(shape), count);
  };
  Shape result = shape;
  std::int64_t* unknown = nullptr;
  std::int64_t known = 1;
  for (std::int64_t& size : result) {
    if (size == -1 && unknown == nullptr) {
      unknown = &size;
    } else if (size < 0 || __builtin_mul_overflow(known, size, &known)) {
      throw fail();
    }
  }
  if (unknown != nullptr) {
    if (known == 0 || count % known != 0) throw fail();
    *unknown = count / known;
  } else if (known != count) {
    throw fail();
  }
  return result;
}

std::optional<Tensor> try_view(const Tensor& tensor, const Shape& wanted) {
  Tensor result = tensor;
  result.shape = infer_shape(wanted, tensor.numel());
  result.strides = tensor::contiguous_strides(result.shape);
  if (tensor.is_contiguous()) return result;
  // Walk from the last dimension: runs of old dimensions that lie end to end may be cut up anew.
  int view = result.rank() - 1;
  std::int64_t run_stride = tensor.strides.back();
  std::int64_t run = 1;
  std::int64_t filled = 1;
  for (int dim = tensor.rank() - 1; dim >= 0; --dim) {
    run *= tensor.size(dim);
    const bool ends = dim == 0 || (tensor.size(dim - 1) != 1 && tensor.stride(dim - 1) != run * run_stride);
    if (!ends) continue;
    while (view >= 0 && (filled < run || result.size(view) == 1)) {
      result.strides[static_cast<std::size_t>(view)] = filled * run_stride;
      filled *= result.size(view);
      --view;
    }
    if (filled != run) return std::nullopt;
    if (dim > 0) {
      run_stride = tensor.stride(dim - 1);
      run = filled = 1;
    }
  }
  return view < 0 ? std::optional(result) : std::nullopt;
}

Tensor view_as_dtype(const Tensor& tensor, DType dtype) {
  const auto from = static_cast<std::int64_t>(tensor::bits_of(tensor.dtype));
  const auto to = static_cast<std::int64_t>(tensor::bits_of(dtype));
  Tensor result = tensor;
  result.dtype = dtype;
  if (from == to) return result;
  const auto fail = [&] {
    return Error("a tensor of shape {} and {} cannot be viewed as {}", tensor::to_string(tensor.shape),
                 tensor::name_of(tensor.dtype), tensor::name_of(dtype));
  };
  if (tensor.rank() == 0 || tensor.strides.back() != 1 || to < 8) throw fail();
  const auto rescale = [&](std::int64_t value) {
    if (value * from % to != 0) throw fail();
    return value * from / to;
  };
  result.offset = rescale(tensor.offset);
  result.shape.back() = rescale(tensor.shape.back());
  for (std::size_t i = 0; i + 1 < result.strides.size(); ++i) result.strides[i] = rescale(tensor.strides[i]);
  return result;
}

}  // namespace fib::ops
