#pragma once

#include "ops/elementwise.h"

// Small combinations of element-wise operations that several tables of functions share.
namespace fib::ops {

[[nodiscard]] Tensor add(const Runtime& runtime, const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor sub(const Runtime& runtime, const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor mul(const Runtime& runtime, const Tensor& a, const Tensor& b);
// With a Python float.
[[nodiscard]] Tensor add(const Runtime& runtime, const Tensor& a, double b);
[[nodiscard]] Tensor mul(const Runtime& runtime, const Tensor& a, double b);

// a ** b; the common exponents 2, 3, 0.5, -0.5, -1 and -2 as products and roots.
[[nodiscard]] Tensor power(const Runtime& runtime, const Operand& a, const Operand& b);

// ~x: bits of integers, truth of bools.
[[nodiscard]] Tensor inverted(const Runtime& runtime, const Tensor& tensor);

void fill(const Runtime& runtime, const Tensor& target, double value);

// float32 for smaller floats, else the tensor itself: what norms are computed in.
[[nodiscard]] Tensor widened_float(const Runtime& runtime, const Tensor& tensor);

}  // namespace fib::ops
