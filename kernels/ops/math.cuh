#pragma once

#include "ops/gpu/arguments.h"

// What each element-wise operation computes: the formulas of lib/ops/elementwise_ops.cpp by their
// names, as functions over float, double and i64. A type that an operation does not take is never asked for.
namespace fib::ops::gpu {

#define FIB_UNARY(name, formula)      \
  struct name {                       \
    template <typename R>             \
    __device__ static R of(R x) {     \
      return static_cast<R>(formula); \
    }                                 \
  };
// For floats, and for integers.
#define FIB_UNARY_2(name, formula, on_int)                               \
  struct name {                                                          \
    template <typename R>                                                \
    __device__ static R of(R x) {                                        \
      return static_cast<R>(formula);                                    \
    }                                                                    \
    __device__ static i64 of(i64 x) { return static_cast<i64>(on_int); } \
  };
#define FIB_BINARY(name, formula)      \
  struct name {                        \
    template <typename R>              \
    __device__ static R of(R a, R b) { \
      return static_cast<R>(formula);  \
    }                                  \
  };
#define FIB_BINARY_2(name, formula, on_int)                                     \
  struct name {                                                                 \
    template <typename R>                                                       \
    __device__ static R of(R a, R b) {                                          \
      return static_cast<R>(formula);                                           \
    }                                                                           \
    __device__ static i64 of(i64 a, i64 b) { return static_cast<i64>(on_int); } \
  };

// The overloads for float and double under one name.
#define FIB_MATH(name)                                               \
  __device__ inline float m_##name(float x) { return ::name##f(x); } \
  __device__ inline double m_##name(double x) { return ::name(x); }
#define FIB_MATH_2(name)                                                         \
  __device__ inline float m_##name(float a, float b) { return ::name##f(a, b); } \
  __device__ inline double m_##name(double a, double b) { return ::name(a, b); }
FIB_MATH(floor)
FIB_MATH(ceil)
FIB_MATH(trunc)
FIB_MATH(rint)
FIB_MATH(sqrt)
FIB_MATH(exp)
FIB_MATH(exp2)
FIB_MATH(expm1)
FIB_MATH(log)
FIB_MATH(log2)
FIB_MATH(log10)
FIB_MATH(log1p)
FIB_MATH(sin)
FIB_MATH(cos)
FIB_MATH(tan)
FIB_MATH(asin)
FIB_MATH(acos)
FIB_MATH(atan)
FIB_MATH(sinh)
FIB_MATH(cosh)
FIB_MATH(tanh)
FIB_MATH(erf)
FIB_MATH(erfc)
FIB_MATH(fabs)
FIB_MATH_2(fmod)
FIB_MATH_2(pow)
FIB_MATH_2(atan2)
FIB_MATH_2(hypot)
FIB_MATH_2(copysign)

// Integer arithmetic wraps around.
__device__ inline i64 int_neg(i64 x) { return static_cast<i64>(0 - static_cast<u64>(x)); }
__device__ inline i64 int_mul(i64 a, i64 b) {
  return static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b));
}
// Divisors of 0 were refused; -1 is apart because the smallest integer has no positive counterpart.
__device__ inline i64 int_truncate(i64 a, i64 b) { return b == -1 ? int_neg(a) : a / b; }
__device__ inline i64 int_fmod(i64 a, i64 b) { return b == -1 ? 0 : a % b; }
__device__ inline i64 int_floor(i64 a, i64 b) {
  return int_truncate(a, b) - (int_fmod(a, b) != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
__device__ inline i64 int_remainder(i64 a, i64 b) {
  const i64 rest = int_fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
__device__ inline i64 int_pow(i64 base, i64 exponent) {
  u64 result = 1;
  for (u64 power = static_cast<u64>(base); exponent > 0; exponent >>= 1, power *= power) {
    if ((exponent & 1) != 0) result *= power;
  }
  return static_cast<i64>(result);
}

template <typename R>
__device__ inline R float_remainder(R a, R b) {
  const R rest = m_fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
template <typename R>
__device__ inline R float_floor_divide(R a, R b) {
  if (b == 0) return a / b;
  const R rest = m_fmod(a, b);
  R quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= R{1};
  if (quotient == 0) return m_copysign(R{0}, a / b);
  const R below = m_floor(quotient);
  return quotient - below > R{0.5} ? below + R{1} : below;
}
template <typename R>
__device__ inline R logarithm_of_sigmoid(R x) {
  return -m_log1p(m_exp(-m_fabs(x))) + (x < 0 ? x : R{0});
}
template <typename R>
__device__ inline R gelu_of(R x) {
  return R{0.5} * x * (R{1} + m_erf(x * R(1.4142135623730950488016887242096980786 / 2)));
}
// The constant is sqrt2_v<R> * inv_sqrtpi_v<R>, multiplied in R.
template <typename R>
__device__ inline R gelu_tanh_of(R x) {
  constexpr R kBeta = R(1.4142135623730950488016887242096980786) * R(0.5641895835477562869480794515607725858);
  return R{0.5} * x * (R{1} + m_tanh(kBeta * (x + R(0.044715) * x * x * x)));
}
__device__ inline bool is_infinite(double x) { return m_fabs(x) > 1.7976931348623157e308; }

namespace operations {

FIB_UNARY_2(neg, -x, int_neg(x))
FIB_UNARY_2(abs, m_fabs(x), x < 0 ? int_neg(x) : x)
FIB_UNARY(sign, static_cast<R>((x > 0) - (x < 0)))
FIB_UNARY_2(floor, m_floor(x), x)
FIB_UNARY_2(ceil, m_ceil(x), x)
FIB_UNARY_2(trunc, m_trunc(x), x)
FIB_UNARY_2(round, m_rint(x), x)
FIB_UNARY_2(square, x* x, int_mul(x, x))
FIB_UNARY(relu, (x > 0 || x != x ? x : R{0}))
FIB_UNARY(reciprocal, R{1} / x)
FIB_UNARY(sqrt, m_sqrt(x))
FIB_UNARY(rsqrt, R{1} / m_sqrt(x))
FIB_UNARY(exp, m_exp(x))
FIB_UNARY(exp2, m_exp2(x))
FIB_UNARY(expm1, m_expm1(x))
FIB_UNARY(log, m_log(x))
FIB_UNARY(log2, m_log2(x))
FIB_UNARY(log10, m_log10(x))
FIB_UNARY(log1p, m_log1p(x))
FIB_UNARY(sin, m_sin(x))
FIB_UNARY(cos, m_cos(x))
FIB_UNARY(tan, m_tan(x))
FIB_UNARY(asin, m_asin(x))
FIB_UNARY(acos, m_acos(x))
FIB_UNARY(atan, m_atan(x))
FIB_UNARY(sinh, m_sinh(x))
FIB_UNARY(cosh, m_cosh(x))
FIB_UNARY(tanh, m_tanh(x))
FIB_UNARY(erf, m_erf(x))
FIB_UNARY(erfc, m_erfc(x))
FIB_UNARY(sigmoid, R{1} / (R{1} + m_exp(-x)))
FIB_UNARY(silu, x / (R{1} + m_exp(-x)))
FIB_UNARY(gelu, gelu_of(x))
FIB_UNARY(gelu_tanh, gelu_tanh_of(x))
FIB_UNARY(softplus, (x > 20 ? x : m_log1p(m_exp(x))))
FIB_UNARY(logsigmoid, logarithm_of_sigmoid(x))
FIB_UNARY(logical_not, x == 0)
FIB_UNARY(isnan, x != x)
FIB_UNARY(isinf, is_infinite(static_cast<double>(x)))
FIB_UNARY(isfinite, !is_infinite(static_cast<double>(x)) && x == x)
FIB_UNARY(bitwise_not, ~static_cast<i64>(x))

FIB_BINARY_2(add, a + b, static_cast<u64>(a) + static_cast<u64>(b))
FIB_BINARY_2(sub, a - b, static_cast<u64>(a) - static_cast<u64>(b))
FIB_BINARY_2(mul, a* b, int_mul(a, b))
FIB_BINARY(div, a / b)
FIB_BINARY_2(floor_divide, float_floor_divide(a, b), int_floor(a, b))
FIB_BINARY_2(divide_trunc, m_trunc(a / b), int_truncate(a, b))
FIB_BINARY_2(remainder, float_remainder(a, b), int_remainder(a, b))
FIB_BINARY_2(fmod, m_fmod(a, b), int_fmod(a, b))
FIB_BINARY_2(pow, m_pow(a, b), int_pow(a, b))
FIB_BINARY(maximum, (a > b || a != a ? a : b))
FIB_BINARY(minimum, (a < b || a != a ? a : b))
FIB_BINARY(atan2, m_atan2(a, b))
FIB_BINARY(hypot, m_hypot(a, b))
FIB_BINARY(eq, a == b)
FIB_BINARY(ne, a != b)
FIB_BINARY(lt, a < b)
FIB_BINARY(le, a <= b)
FIB_BINARY(gt, a > b)
FIB_BINARY(ge, a >= b)
FIB_BINARY(logical_and, a != 0 && b != 0)
FIB_BINARY(logical_or, a != 0 || b != 0)
FIB_BINARY(logical_xor, (a != 0) != (b != 0))
FIB_BINARY(bitwise_and, static_cast<i64>(a) & static_cast<i64>(b))
FIB_BINARY(bitwise_or, static_cast<i64>(a) | static_cast<i64>(b))
FIB_BINARY(bitwise_xor, static_cast<i64>(a) ^ static_cast<i64>(b))
FIB_BINARY(bitwise_left_shift,
           (b < 0 || b > 63 ? 0 : static_cast<i64>(static_cast<u64>(a) << static_cast<u64>(b))))
FIB_BINARY(bitwise_right_shift, static_cast<i64>(a) >> (b < 0 || b > 63 ? 63 : static_cast<i64>(b)))

}  // namespace operations

}  // namespace fib::ops::gpu
