#pragma once

#include <fib.h>

#include <cstdint>

#include "tensor/dtype.h"

// Scalar arguments: Python's numbers, or tensors without axes on the CPU.
namespace fib::arguments {

// Whether a scalar parameter of that dtype can take the value: floats take integers, integers take no floats;
// an integer has to be one that the dtype
// has; floats of 8 bits and less have no scalars. Allocates nothing.
[[nodiscard]] bool takes(tensor::DType dtype, const fib_value& value) noexcept;

// The value as 8 bytes, as workers hold scalars: a double for floating dtypes, an int64_t for the others (a
// bool is 0 or 1). takes() has to hold. Allocates nothing.
[[nodiscard]] std::int64_t scalar_bits(tensor::DType dtype, const fib_value& value) noexcept;

}  // namespace fib::arguments
