#include "eval/compare_blocks.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "tensor/convert.h"
#include "tensor/vector_clones.h"

namespace fib::eval {
namespace {

using tensor::DType;

template <typename Real>
struct BitsOf;
template <>
struct BitsOf<float> {
  using Type = std::int32_t;
};
template <>
struct BitsOf<double> {
  using Type = std::int64_t;
};

template <typename Real>
struct Sums {
  Real absolute = 0, relative = 0;
  bool nan = false, infinity = false;
};

// Truth as a number as wide as the elements: what vector units compute with.
template <typename Bits>
[[gnu::always_inline]] inline Bits flag(bool truth) {
  return truth ? Bits{1} : Bits{0};
}

// Branch-free, so that it vectorises. Maxima are taken over the bits, since for numbers that are not negative
// their order is the numbers', and compilers vectorise integer maxima without being allowed to ignore NaN.
template <typename Real>
[[gnu::always_inline]] inline Sums<Real> compare_reals(const Real* __restrict got,
                                                       const Real* __restrict expected, std::size_t count,
                                                       Real atol, Real rtol, std::uint8_t* __restrict bad) {
  using Bits = typename BitsOf<Real>::Type;
  constexpr Bits kMagnitude = std::numeric_limits<Bits>::max();
  constexpr Bits kInfinity = std::bit_cast<Bits>(std::numeric_limits<Real>::infinity());
  Bits absolute = 0;
  Bits relative = 0;
  Bits nan = 0;
  Bits infinity = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Real x = got[i];
    const Real y = expected[i];
    const Bits x_size = std::bit_cast<Bits>(x) & kMagnitude;
    const Bits y_size = std::bit_cast<Bits>(y) & kMagnitude;
    const Bits finite = flag<Bits>(x_size < kInfinity) & flag<Bits>(y_size < kInfinity);
    const Real difference = std::bit_cast<Real>(std::bit_cast<Bits>(x - y) & kMagnitude);
    const Real ratio = difference / (std::bit_cast<Real>(y_size) + static_cast<Real>(kRelativeFloor));
    const Bits x_nan = flag<Bits>(x_size > kInfinity);
    const Bits y_nan = flag<Bits>(y_size > kInfinity);
    const Bits close = flag<Bits>(difference <= atol) | flag<Bits>(ratio <= rtol);
    const Bits same_class = flag<Bits>(std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y)) | (x_nan & y_nan);
    const Bits good = (finite & close) | ((1 - finite) & same_class);
    const Bits difference_bits = std::bit_cast<Bits>(difference) & -finite;
    const Bits ratio_bits = std::bit_cast<Bits>(ratio) & -finite;
    absolute = absolute > difference_bits ? absolute : difference_bits;
    relative = relative > ratio_bits ? relative : ratio_bits;
    nan |= x_nan ^ y_nan;
    infinity |= (1 - finite) & (1 - same_class) & (1 - x_nan) & (1 - y_nan);
    bad[i] = static_cast<std::uint8_t>(1 - good);
  }
  return {std::bit_cast<Real>(absolute), std::bit_cast<Real>(relative), nan != 0, infinity != 0};
}

FIB_VECTOR_CLONES Sums<float> compare_floats(const float* got, const float* expected, std::size_t count,
                                             float atol, float rtol, std::uint8_t* bad) {
  return compare_reals(got, expected, count, atol, rtol, bad);
}

FIB_VECTOR_CLONES Sums<double> compare_doubles(const double* got, const double* expected, std::size_t count,
                                               double atol, double rtol, std::uint8_t* bad) {
  return compare_reals(got, expected, count, atol, rtol, bad);
}

template <typename Real>
void keep(const Sums<Real>& sums, BlockFindings& findings) {
  findings.absolute_error = static_cast<double>(sums.absolute);
  findings.relative_error = static_cast<double>(sums.relative);
  findings.nan_disagrees = sums.nan;
  findings.infinity_disagrees = sums.infinity;
}

template <typename Int>
void compare_integers(const void* got, const void* expected, std::size_t count, BlockFindings& findings) {
  const auto* x = static_cast<const Int*>(got);
  const auto* y = static_cast<const Int*>(expected);
  for (std::size_t i = 0; i < count; ++i) {
    findings.bad[i] = x[i] != y[i] ? 1 : 0;
    if (x[i] == y[i]) continue;
    // Unsigned, since the distance of two int64 may need all 64 bits.
    const auto high = static_cast<std::uint64_t>(std::max(x[i], y[i]));
    const auto low = static_cast<std::uint64_t>(std::min(x[i], y[i]));
    const auto difference = static_cast<double>(high - low);
    const double size = y[i] < 0 ? -static_cast<double>(y[i]) : static_cast<double>(y[i]);
    findings.absolute_error = std::max(findings.absolute_error, difference);
    findings.relative_error = std::max(findings.relative_error, difference / (size + kRelativeFloor));
  }
}

// Small floats as float32, through two buffers.
void compare_small_floats(DType dtype, const void* got, const void* expected, std::size_t count,
                          const Tolerance& tolerance, BlockFindings& findings) {
  alignas(64) float x[kCompareBlock];
  alignas(64) float y[kCompareBlock];
  tensor::to_float(dtype, got, x, count);
  tensor::to_float(dtype, expected, y, count);
  keep(compare_floats(x, y, count, static_cast<float>(tolerance.atol), static_cast<float>(tolerance.rtol),
                      findings.bad),
       findings);
}

}  // namespace

void compare_values(DType dtype, const void* got, const void* expected, std::size_t count,
                    const Tolerance& tolerance, BlockFindings& findings) {
  findings.absolute_error = 0;
  findings.relative_error = 0;
  findings.nan_disagrees = false;
  findings.infinity_disagrees = false;
  switch (dtype) {
    case DType::kFloat64:
      return keep(compare_doubles(static_cast<const double*>(got), static_cast<const double*>(expected),
                                  count, tolerance.atol, tolerance.rtol, findings.bad),
                  findings);
    case DType::kFloat32:
      return keep(compare_floats(static_cast<const float*>(got), static_cast<const float*>(expected), count,
                                 static_cast<float>(tolerance.atol), static_cast<float>(tolerance.rtol),
                                 findings.bad),
                  findings);
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E5M2:
    case DType::kFloat4E2M1:
      return compare_small_floats(dtype, got, expected, count, tolerance, findings);
    case DType::kInt64:
      return compare_integers<std::int64_t>(got, expected, count, findings);
    case DType::kInt32:
      return compare_integers<std::int32_t>(got, expected, count, findings);
    case DType::kInt16:
      return compare_integers<std::int16_t>(got, expected, count, findings);
    case DType::kInt8:
      return compare_integers<std::int8_t>(got, expected, count, findings);
    case DType::kUInt8:
    case DType::kBool:
      return compare_integers<std::uint8_t>(got, expected, count, findings);
  }
}

}  // namespace fib::eval
