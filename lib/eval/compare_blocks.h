#pragma once

#include <cstddef>
#include <cstdint>

#include "eval/compare.h"
#include "tensor/dtype.h"

// The inner loops of compare(): one block of elements at a time, small enough for the first level cache.
namespace fib::eval {

// Elements; even, so that blocks of float4 begin at whole bytes.
inline constexpr std::size_t kCompareBlock = 1024;

// What a block's values say. `bad` has one flag an element and is overwritten; errors are maxima over finite
// pairs.
struct BlockFindings {
  std::uint8_t bad[kCompareBlock];
  double absolute_error = 0;
  double relative_error = 0;
  bool nan_disagrees = false;  // some element is NaN on one side only
  // Some element is infinite on one side, and something else but NaN on the other.
  bool infinity_disagrees = false;
};

// Compares `count` <= kCompareBlock elements by value. `got` and `expected` are the first elements, aligned.
void compare_values(tensor::DType dtype, const void* got, const void* expected, std::size_t count,
                    const Tolerance& tolerance, BlockFindings& findings);

}  // namespace fib::eval
