#pragma once

#include <initializer_list>

#include "ops/tensor.h"

namespace fib::ops {

// An operand of an operation: a tensor, or a Python number as a tensor without dimensions, which takes part
// in type promotion by its category only.
struct Operand {
  Tensor tensor;
  bool is_number = false;
};

// torch's promotion of two dtypes. Throws Error for float8, which torch does not promote either.
[[nodiscard]] DType promote(DType a, DType b);

// The common dtype of operands by torch's rules: tensors with dimensions win over those without, those over
// Python numbers, unless the weaker one is of a higher category (bool < integer < float).
[[nodiscard]] DType result_type(std::initializer_list<const Operand*> operands);

// Throws Error unless values of `from` may be stored by an in-place operation in a tensor of `to`: floats do
// not go into integers, nor integers into bools.
void check_can_cast(DType from, DType to);

// float32, the dtype of Python floats, unless `dtype` is floating.
[[nodiscard]] inline DType to_floating(DType dtype) {
  return tensor::is_floating(dtype) ? dtype : DType::kFloat32;
}

[[nodiscard]] inline bool is_float8(DType dtype) {
  return dtype == DType::kFloat8E4M3FN || dtype == DType::kFloat8E5M2;
}

}  // namespace fib::ops
