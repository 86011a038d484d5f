#include "eval/agreement_steps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fib::eval {
namespace {

using tensor::DType;

struct Format {
  int mantissa_bits;
  int smallest_exponent;  // of a normal number
};

// IEEE 754 and OCP's small formats (tensor/small_floats.h).
Format format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return {52, -1022};
    case DType::kFloat16:
      return {10, -14};
    case DType::kBFloat16:
      return {7, -126};
    case DType::kFloat8E4M3FN:
      return {3, -6};
    case DType::kFloat8E5M2:
      return {2, -14};
    case DType::kFloat4E2M1:
      return {1, 0};
    default:
      return {23, -126};
  }
}

}  // namespace

// All formats have a sign in front of a magnitude whose order is the numbers'.
std::uint64_t steps_between(DType dtype, std::uint64_t one, std::uint64_t other) {
  const std::uint64_t sign = std::uint64_t{1} << (tensor::bits_of(dtype) - 1);
  const std::uint64_t low = std::min(one & (sign - 1), other & (sign - 1));
  const std::uint64_t high = std::max(one & (sign - 1), other & (sign - 1));
  return ((one ^ other) & sign) == 0 ? high - low : high + low;
}

double step_at(DType dtype, double size) {
  const Format format = format_of(dtype);
  const int exponent = size == 0 ? format.smallest_exponent : std::ilogb(size);
  return std::ldexp(1.0, std::max(exponent, format.smallest_exponent) - format.mantissa_bits);
}

}  // namespace fib::eval
