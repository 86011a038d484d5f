#pragma once

#include "ops/tensor.h"

namespace fib::ops {

// Copies elements between tensors of one shape and dtype that do not overlap.
void copy_elements(const Runtime& runtime, const Tensor& source, const Tensor& target);

}  // namespace fib::ops
