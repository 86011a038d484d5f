#pragma once

#include <string_view>
#include <vector>

#include "ops/tensor.h"

namespace fib::ops {

// torch.matmul: vectors, matrices and batches of matrices, which broadcast. Both have one dtype. Floats are
// summed in float32 or wider by the runtime's Gemm and rounded once; integers wrap around. Throws Error for
// shapes or dtypes that do not fit.
[[nodiscard]] Tensor matmul(const Runtime& runtime, const Tensor& a, const Tensor& b);

// torch.einsum without "...": for example "qhd,khd->qhk". Letters that only one operand has and the result
// has not are summed. The same letter twice in one operand is refused.
[[nodiscard]] Tensor einsum(const Runtime& runtime, std::string_view equation,
                            const std::vector<Tensor>& operands);

}  // namespace fib::ops
