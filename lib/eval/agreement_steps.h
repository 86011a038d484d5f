#pragma once

#include <cstdint>

#include "tensor/dtype.h"

// The distance of neighbouring floats: what an ulp is, for each dtype.
namespace fib::eval {

// How many steps of a floating dtype lie between two numbers, given by their bits: 0 for the same one, and
// for +0 and -0. Neither is a NaN.
[[nodiscard]] std::uint64_t steps_between(tensor::DType dtype, std::uint64_t one, std::uint64_t other);

// The distance of neighbours around numbers of this size (not negative, finite): 2^floor(log2(size)) times
// the machine epsilon, and below the smallest normal number what it is there.
[[nodiscard]] double step_at(tensor::DType dtype, double size);

}  // namespace fib::eval
