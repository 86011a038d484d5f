#pragma once

#include "fib_torch/array_ref.h"
#include "fib_torch/device.h"
#include "fib_torch/dtypes.h"
#include "fib_torch/scalar.h"

// torch's small values by their names in at::.
namespace at {

using namespace c10;
namespace impl = c10::impl;
// NOLINTBEGIN(misc-unused-using-decls): names that sources write with at::
using c10::ArrayRef;
using c10::BFloat16;
using c10::Half;
using c10::IntArrayRef;
using c10::nullopt;
using c10::optional;
using c10::Scalar;
using c10::ScalarType;
// NOLINTEND(misc-unused-using-decls)

constexpr ScalarType kUInt8 = c10::kByte;
constexpr ScalarType kInt8 = c10::kChar;
constexpr ScalarType kInt16 = c10::kShort;
constexpr ScalarType kInt32 = c10::kInt;
constexpr ScalarType kInt64 = c10::kLong;
constexpr ScalarType kFloat16 = c10::kHalf;
constexpr ScalarType kFloat32 = c10::kFloat;
constexpr ScalarType kFloat64 = c10::kDouble;

// What sums of a type are kept in.
template <typename T>
struct OpMathType {
  using type = T;
};
#define FIB_TORCH_WIDER(narrow) \
  template <>                   \
  struct OpMathType<narrow> {   \
    using type = float;         \
  };
FIB_TORCH_WIDER(c10::Half)
FIB_TORCH_WIDER(c10::BFloat16)
FIB_TORCH_WIDER(c10::Float8_e5m2)
FIB_TORCH_WIDER(c10::Float8_e4m3fn)
#undef FIB_TORCH_WIDER
template <typename T>
using opmath_type = typename OpMathType<T>::type;

template <typename T, bool is_cuda>
struct AccumulateType {
  using integral = std::conditional_t<std::is_same_v<T, bool>, bool, std::int64_t>;
  using floating = std::conditional_t<std::is_same_v<T, float> && !is_cuda, double, opmath_type<T>>;
  using type = std::conditional_t<std::is_integral_v<T>, integral, floating>;
};
template <typename T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;

}  // namespace at
