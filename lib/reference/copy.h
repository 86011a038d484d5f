#pragma once

#include "reference/tensor.h"

namespace fib::reference {

// Copies elements between tensors of one shape and dtype that do not overlap.
void copy_elements(const Runtime& runtime, const Tensor& source, const Tensor& target);

}  // namespace fib::reference
