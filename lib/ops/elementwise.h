#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ops/promote.h"

// Operations on elements: every result has the dtype torch gives it, is computed in float (for float32 and
// smaller floats), double or int64, and rounded once. Operands broadcast. Large tensors are spread over the
// threads.
namespace fib::ops {

enum class ResultDType {
  kCommon,  // the operands' common dtype
  kFloat,   // likewise, but integers give float32
  kBool,
};

// How an operation computes one element in each of the three types. No function for int64 means that integers
// are computed as float32; none for float and double, that floats are refused.
struct UnaryOp {
  std::string_view name;
  ResultDType result;
  void (*on_float)(const float* x, float* y, std::int64_t n);
  void (*on_double)(const double* x, double* y, std::int64_t n);
  void (*on_int)(const std::int64_t* x, std::int64_t* y, std::int64_t n);
  int cost;  // relative to an addition
};

struct BinaryOp {
  std::string_view name;
  ResultDType result;
  void (*on_float)(const float* a, const float* b, float* y, std::int64_t n);
  void (*on_double)(const double* a, const double* b, double* y, std::int64_t n);
  void (*on_int)(const std::int64_t* a, const std::int64_t* b, std::int64_t* y, std::int64_t n);
  int cost;
};

// The operation of torch's name ("exp", "add", "bitwise_and", ...); throws Error for a name that does not
// exist, which is a mistake in the caller.
[[nodiscard]] const UnaryOp& unary_op(std::string_view name);
[[nodiscard]] const BinaryOp& binary_op(std::string_view name);
// All of them, for tables of functions.
[[nodiscard]] std::span<const UnaryOp> unary_ops();
[[nodiscard]] std::span<const BinaryOp> binary_ops();

[[nodiscard]] Tensor unary(const Runtime& runtime, const UnaryOp& op, const Tensor& input);
[[nodiscard]] Tensor binary(const Runtime& runtime, const BinaryOp& op, const Operand& a, const Operand& b);

// In place: the result goes into `target`, whose dtype and shape stay. Throws Error when they cannot hold it.
void unary_in_place(const Runtime& runtime, const UnaryOp& op, const Tensor& target);
void binary_in_place(const Runtime& runtime, const BinaryOp& op, const Tensor& target, const Operand& b);

// condition ? a : b, in the common dtype of a and b.
[[nodiscard]] Tensor where(const Runtime& runtime, const Tensor& condition, const Operand& a,
                           const Operand& b);

// Copies `source`, broadcast and converted, into the elements of `target`. They may overlap.
void copy_into(const Runtime& runtime, const Tensor& source, const Tensor& target);

// A contiguous copy in another dtype (or the same).
[[nodiscard]] Tensor converted(const Runtime& runtime, const Tensor& tensor, DType dtype);
[[nodiscard]] inline Tensor cloned(const Runtime& runtime, const Tensor& tensor) {
  return converted(runtime, tensor, tensor.dtype);
}
// A copy that keeps the order of dimensions in memory (see make_empty_like), as clone() and to() do.
[[nodiscard]] Tensor converted_like(const Runtime& runtime, const Tensor& tensor, DType dtype);
// The tensor itself if it is that already, else a copy: contiguous, or as converted_like makes it.
[[nodiscard]] Tensor contiguous(const Runtime& runtime, const Tensor& tensor);
[[nodiscard]] Tensor to_dtype(const Runtime& runtime, const Tensor& tensor, DType dtype);
// A view if possible, else a copy.
[[nodiscard]] Tensor reshape(const Runtime& runtime, const Tensor& tensor, const Shape& shape);

// A tensor without dimensions that holds one value.
[[nodiscard]] Tensor scalar_tensor(const Runtime& runtime, DType dtype, double value);
[[nodiscard]] Tensor scalar_tensor(const Runtime& runtime, DType dtype, std::int64_t value);

// The value of the only element, converted. Throws Error for any other number of elements.
[[nodiscard]] double item_as_double(const Tensor& tensor);
[[nodiscard]] std::int64_t item_as_int(const Tensor& tensor);

// Throws Error when two elements of `target` are the same place in memory.
void check_writable(const Tensor& target);

}  // namespace fib::ops
