#include <algorithm>

#include "ops/blocks.h"
#include "ops/elementwise.h"
#include "ops/gpu/operations.h"
#include "ops/index.h"
#include "util/error.h"

// Reading and writing single elements whose position along one dimension comes from a tensor.
namespace fib::ops {
namespace {

void check_indices(const Tensor& tensor, int dim, const Tensor& indices) {
  if (!tensor::is_integral(indices.dtype))
    throw Error("indices must be integers, not {}", tensor::name_of(indices.dtype));
  if (indices.rank() != tensor.rank()) {
    throw Error("indices of shape {} do not fit a tensor of shape {}", tensor::to_string(indices.shape),
                tensor::to_string(tensor.shape));
  }
  for (int d = 0; d < tensor.rank(); ++d) {
    if (d == dim || indices.size(d) <= tensor.size(d)) continue;
    throw Error("indices of shape {} are too large for a tensor of shape {}",
                tensor::to_string(indices.shape), tensor::to_string(tensor.shape));
  }
}

// Calls body(i, offset) for every element i of `indices` in order: `offset` is that of the element of
// `tensor` it names.
template <typename Body>
void for_indexed(const Runtime& runtime, const Tensor& tensor, int dim, const Tensor& indices,
                 const Body& body) {
  const Tensor flat = contiguous(runtime, to_dtype(runtime, indices, DType::kInt64));
  const auto* values = reinterpret_cast<const std::int64_t*>(flat.read());
  const std::int64_t size = tensor.rank() == 0 ? 1 : tensor.size(dim);
  const std::int64_t stride = tensor.rank() == 0 ? 0 : tensor.stride(dim);
  // Walks the positions along all other dimensions.
  Tensor others = tensor;
  others.shape = indices.shape;
  if (tensor.rank() > 0) others.strides[static_cast<std::size_t>(dim)] = 0;
  const Strides strides(others);
  Walk walk(strides, 0);
  const std::int64_t count = indices.numel();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t value = values[i];
    // Unlike in x[...], a negative index does not count from the end.
    if (value < 0 || value >= size)
      throw Error("index {} is out of range for dimension {} of size {}", value, dim, size);
    body(i, walk.offset() + value * stride);
    walk.advance(1);
  }
}

}  // namespace

Tensor gather(const Runtime& runtime, const Tensor& tensor, std::int64_t dim, const Tensor& indices) {
  const int at = wrap_dim(dim, tensor.rank());
  check_indices(tensor, at, indices);
  Tensor result = make_empty(runtime, tensor.dtype, indices.shape);
  const std::size_t size = tensor.element_size();
  const auto bytes = static_cast<std::int64_t>(size);
  for_indexed(runtime, tensor, at, indices, [&](std::int64_t i, std::int64_t offset) {
    copy_strided(size, tensor.read() + offset * bytes, 1, result.data() + i * bytes, 1, 1);
  });
  return result;
}

void scatter(const Runtime& runtime, IndexWrite write, const Tensor& tensor, std::int64_t dim,
             const Tensor& indices, const Tensor& source) {
  const int at = wrap_dim(dim, tensor.rank());
  check_indices(tensor, at, indices);
  check_writable(tensor);
  if (is_float8(tensor.dtype) && write == IndexWrite::kAdd)
    throw Error("scatter_add is not defined for float8");
  Tensor part = source;
  if (source.rank() == 0) {
    part = expand(source, indices.shape);
  } else {
    if (source.rank() != indices.rank())
      throw Error("scatter needs indices and source of equally many dimensions");
    for (int d = 0; d < source.rank(); ++d) part = narrow(part, d, 0, indices.size(d));
  }
  const Tensor values = contiguous(runtime, part.dtype == tensor.dtype && part.storage != tensor.storage
                                                ? part
                                                : converted(runtime, part, tensor.dtype));
  const std::size_t size = tensor.element_size();
  const auto bytes = static_cast<std::int64_t>(size);
  with_compute_type(tensor.dtype, [&](auto real) {
    using Real = decltype(real);
    for_indexed(runtime, tensor, at, indices, [&](std::int64_t i, std::int64_t offset) {
      std::byte* target = tensor.data() + offset * bytes;
      const std::byte* value = values.read() + i * bytes;
      if (write == IndexWrite::kCopy) return copy_strided(size, value, 1, target, 1, 1);
      Real sum{};
      Real addend{};
      load_elements(tensor.dtype, target, &sum, 1);
      load_elements(tensor.dtype, value, &addend, 1);
      sum += addend;
      store_elements(tensor.dtype, &sum, target, 1);
    });
  });
}

void index_write(const Runtime& runtime, IndexWrite write, const Tensor& tensor, std::int64_t dim,
                 const Tensor& indices, const Tensor& source, double alpha) {
  const int at = wrap_dim(dim, tensor.rank());
  if (!tensor::is_integral(indices.dtype) || indices.rank() > 1)
    throw Error("indices must be integers in one dimension");
  if (source.dtype != tensor.dtype) {
    throw Error("source and target must have one dtype, not {} and {}", tensor::name_of(source.dtype),
                tensor::name_of(tensor.dtype));
  }
  const std::int64_t count = indices.numel();
  if (source.rank() != tensor.rank() || (source.rank() > 0 && source.size(at) != count)) {
    throw Error("a source of shape {} does not fit {} indices", tensor::to_string(source.shape), count);
  }
  const Tensor flat = contiguous(runtime, to_dtype(runtime, indices, DType::kInt64));
  const auto* values = reinterpret_cast<const std::int64_t*>(flat.read());
  if (write == IndexWrite::kAdd && alpha == 1 &&
      gpu::add_slices(runtime, {values, static_cast<std::size_t>(count)}, tensor, at, source))
    return;
  const BinaryOp& add = binary_op("add");
  for (std::int64_t i = 0; i < count; ++i) {
    if (values[i] < 0) throw Error("index {} is out of range", values[i]);
    const Tensor target = select(tensor, at, values[i]);
    const Tensor part = select(source, at, i);
    if (write == IndexWrite::kCopy) {
      copy_into(runtime, part, target);
    } else if (alpha == 1) {
      binary_in_place(runtime, add, target, {part, false});
    } else {
      const Operand factor{scalar_tensor(runtime, DType::kFloat64, alpha), true};
      binary_in_place(runtime, add, target,
                      {binary(runtime, binary_op("mul"), {part, false}, factor), false});
    }
  }
}

}  // namespace fib::ops
