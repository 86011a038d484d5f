#include "ops/tensor_math.h"

namespace fib::ops {
namespace {

Operand number(const Runtime& runtime, double value) {
  return {scalar_tensor(runtime, DType::kFloat64, value), true};
}

// The unary operation that raises to a power, if there is one.
const char* power_name(double exponent) {
  if (exponent == 2) return "square";
  if (exponent == 0.5) return "sqrt";
  if (exponent == -0.5) return "rsqrt";
  if (exponent == -1) return "reciprocal";
  return nullptr;
}

}  // namespace

Tensor add(const Runtime& runtime, const Tensor& a, const Tensor& b) {
  return binary(runtime, binary_op("add"), {a, false}, {b, false});
}

Tensor sub(const Runtime& runtime, const Tensor& a, const Tensor& b) {
  return binary(runtime, binary_op("sub"), {a, false}, {b, false});
}

Tensor mul(const Runtime& runtime, const Tensor& a, const Tensor& b) {
  return binary(runtime, binary_op("mul"), {a, false}, {b, false});
}

Tensor add(const Runtime& runtime, const Tensor& a, double b) {
  return binary(runtime, binary_op("add"), {a, false}, number(runtime, b));
}

Tensor mul(const Runtime& runtime, const Tensor& a, double b) {
  return binary(runtime, binary_op("mul"), {a, false}, number(runtime, b));
}

Tensor power(const Runtime& runtime, const Operand& a, const Operand& b) {
  if (b.is_number && !a.is_number && tensor::is_floating(a.tensor.dtype)) {
    if (const char* name = power_name(item_as_double(b.tensor)))
      return unary(runtime, unary_op(name), a.tensor);
  }
  return binary(runtime, binary_op("pow"), a, b);
}

Tensor inverted(const Runtime& runtime, const Tensor& tensor) {
  return unary(runtime, unary_op(tensor.dtype == DType::kBool ? "logical_not" : "bitwise_not"), tensor);
}

void fill(const Runtime& runtime, const Tensor& target, double value) {
  copy_into(runtime, scalar_tensor(runtime, DType::kFloat64, value), target);
}

Tensor widened_float(const Runtime& runtime, const Tensor& tensor) {
  const bool small = tensor::is_floating(tensor.dtype) && tensor.element_size() < 4;
  return small ? converted(runtime, tensor, DType::kFloat32) : tensor;
}

}  // namespace fib::ops
