#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ops/memory.h"
#include "ops/runtime.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "util/error.h"

namespace fib::ops {

using fib::tensor::DType;
using fib::tensor::Shape;

// A view of a storage, as torch's tensors are: copies share the elements. Strides and offset count elements,
// and strides are never negative. All functions below that "view" share the elements too; none of them
// copies. Dimensions are counted from the end when negative; a wrong one throws Error.
struct Tensor {
  std::shared_ptr<Storage> storage;
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;

  [[nodiscard]] int rank() const { return static_cast<int>(shape.size()); }
  [[nodiscard]] std::int64_t numel() const;
  [[nodiscard]] std::size_t element_size() const { return tensor::bits_of(dtype) / 8; }
  // The elements in the host's memory, to be written and read; read() leaves a copy on a device valid.
  [[nodiscard]] std::byte* data() const {
    return storage->data() + offset * static_cast<std::int64_t>(element_size());
  }
  [[nodiscard]] const std::byte* read() const {
    return storage->read() + offset * static_cast<std::int64_t>(element_size());
  }
  [[nodiscard]] bool is_contiguous() const;
  // Throw Error for a dimension that is not there, as a tensor without dimensions has none.
  [[nodiscard]] std::int64_t size(int dim) const { return shape[checked(dim)]; }
  [[nodiscard]] std::int64_t stride(int dim) const { return strides[checked(dim)]; }

 private:
  [[nodiscard]] std::size_t checked(int dim) const {
    if (dim < 0 || dim >= rank()) throw Error("a tensor of {} dimensions has no dimension {}", rank(), dim);
    return static_cast<std::size_t>(dim);
  }
};

// The number of elements of a shape. Throws Error for a negative dimension or more than 63 bits.
[[nodiscard]] std::int64_t count_of(const Shape& shape);

// A new contiguous tensor with undefined content, or with zeros.
[[nodiscard]] Tensor make_empty(const Runtime& runtime, DType dtype, const Shape& shape);
[[nodiscard]] Tensor make_zeros(const Runtime& runtime, DType dtype, const Shape& shape);

// Likewise, but with the order of dimensions in memory that `model` has, if its elements fill their memory
// without gaps or overlaps: what element-wise operations give.
[[nodiscard]] Tensor make_empty_like(const Runtime& runtime, DType dtype, const Tensor& model);

// The dimensions of a tensor in the order of their strides, the largest first.
[[nodiscard]] std::vector<std::int64_t> memory_order(const Tensor& tensor);

// 0 <= result < rank for a dim in [-rank, rank). A tensor without dimensions accepts 0 and -1.
[[nodiscard]] int wrap_dim(std::int64_t dim, int rank);

// The shape both broadcast to. Throws Error when they do not.
[[nodiscard]] Shape broadcast_shapes(const Shape& a, const Shape& b);

// Views.
[[nodiscard]] Tensor expand(const Tensor& tensor, const Shape& shape);  // -1 keeps a size
[[nodiscard]] Tensor permute(const Tensor& tensor, const std::vector<std::int64_t>& dims);
[[nodiscard]] Tensor transpose(const Tensor& tensor, std::int64_t dim0, std::int64_t dim1);
[[nodiscard]] Tensor move_dim(const Tensor& tensor, int from, int to);
[[nodiscard]] Tensor unsqueeze(const Tensor& tensor, std::int64_t dim);
[[nodiscard]] Tensor squeeze(const Tensor& tensor, std::optional<std::int64_t> dim);
// Element `index` (from the end when negative) of a dimension, which goes away.
[[nodiscard]] Tensor select(const Tensor& tensor, std::int64_t dim, std::int64_t index);
// Elements start, start + step, ... below stop of a dimension; start and stop as in Python's slices.
[[nodiscard]] Tensor slice(const Tensor& tensor, int dim, std::int64_t start, std::int64_t stop,
                           std::int64_t step);
// `length` elements of a dimension; the range must lie inside.
[[nodiscard]] Tensor narrow(const Tensor& tensor, int dim, std::int64_t start, std::int64_t length);
// The same elements in row-major order with another shape; one size may be -1. Nothing when no strides do
// that.
[[nodiscard]] std::optional<Tensor> try_view(const Tensor& tensor, const Shape& shape);
// The same bytes as another dtype; the last dimension grows or shrinks with the element size.
[[nodiscard]] Tensor view_as_dtype(const Tensor& tensor, DType dtype);

// `shape` with its -1, if any, worked out for `count` elements. Throws Error when that does not fit.
[[nodiscard]] Shape infer_shape(const Shape& shape, std::int64_t count);

}  // namespace fib::ops
