#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <limits>
#include <ostream>

#include "tensor/small_floats.h"
#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

#if defined(__CUDACC__)
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#else
#define C10_HOST_DEVICE
#define C10_DEVICE
#define C10_HOST
#endif

// torch's small floats: the same bits, the same conversions and operators. Arithmetic is that of float,
// rounded once to the small type. Without initial values: kernels have them in shared memory.
namespace c10 {

struct alignas(2) Half {
  std::uint16_t x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return {}; }

  Half() = default;
  constexpr C10_HOST_DEVICE Half(std::uint16_t bits, from_bits_t) : x(bits) {}
  C10_HOST_DEVICE Half(float value) {
#if defined(__CUDA_ARCH__)
    x = __half_as_ushort(__float2half_rn(value));
#else
    x = static_cast<std::uint16_t>(fib::tensor::Float16Bits::encode(value));
#endif
  }
  C10_HOST_DEVICE operator float() const {
#if defined(__CUDA_ARCH__)
    return __half2float(__ushort_as_half(x));
#else
    return fib::tensor::Float16Bits::decode(x);
#endif
  }
#if defined(__CUDACC__)
  C10_HOST_DEVICE Half(const __half& value) { x = __half_raw(value).x; }
  C10_HOST_DEVICE operator __half() const {
    __half_raw raw;
    raw.x = x;
    return __half(raw);
  }
#endif
};

struct alignas(2) BFloat16 {
  std::uint16_t x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return {}; }

  BFloat16() = default;
  constexpr C10_HOST_DEVICE BFloat16(std::uint16_t bits, from_bits_t) : x(bits) {}
  C10_HOST_DEVICE BFloat16(float value) {
#if defined(__CUDA_ARCH__)
    x = __bfloat16_as_ushort(__float2bfloat16_rn(value));
#else
    x = static_cast<std::uint16_t>(fib::tensor::BFloat16Bits::encode(value));
#endif
  }
  C10_HOST_DEVICE operator float() const { return fib::tensor::BFloat16Bits::decode(x); }
#if defined(__CUDACC__)
  C10_HOST_DEVICE BFloat16(const __nv_bfloat16& value) { x = __nv_bfloat16_raw(value).x; }
  explicit C10_HOST_DEVICE operator __nv_bfloat16() const {
    __nv_bfloat16_raw raw;
    raw.x = x;
    return __nv_bfloat16(raw);
  }
#endif
};

struct alignas(1) Float8_e4m3fn {
  std::uint8_t x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return {}; }

  Float8_e4m3fn() = default;
  constexpr C10_HOST_DEVICE Float8_e4m3fn(std::uint8_t bits, from_bits_t) : x(bits) {}
  C10_HOST_DEVICE Float8_e4m3fn(float value)
      : x(static_cast<std::uint8_t>(fib::tensor::Float8E4M3FNBits::encode(value))) {}
  C10_HOST_DEVICE operator float() const { return fib::tensor::Float8E4M3FNBits::decode(x); }
  [[nodiscard]] C10_HOST_DEVICE bool isnan() const { return (x & 0x7f) == 0x7f; }
};

struct alignas(1) Float8_e5m2 {
  std::uint8_t x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return {}; }

  Float8_e5m2() = default;
  constexpr C10_HOST_DEVICE Float8_e5m2(std::uint8_t bits, from_bits_t) : x(bits) {}
  C10_HOST_DEVICE Float8_e5m2(float value)
      : x(static_cast<std::uint8_t>(fib::tensor::Float8E5M2Bits::encode(value))) {}
  C10_HOST_DEVICE operator float() const { return fib::tensor::Float8E5M2Bits::decode(x); }
  [[nodiscard]] C10_HOST_DEVICE bool isnan() const { return (x & 0x7f) > 0x7c; }
  [[nodiscard]] C10_HOST_DEVICE bool isinf() const { return (x & 0x7f) == 0x7c; }
};

// Two numbers of four bits in a byte, the first in its low half. Bits alone: torch computes nothing with
// them.
struct alignas(1) Float4_e2m1fn_x2 {
  std::uint8_t val_;
  Float4_e2m1fn_x2() = default;
  constexpr C10_HOST_DEVICE explicit Float4_e2m1fn_x2(std::uint8_t bits) : val_(bits) {}
};

// Between two of a kind: that kind. With float and double: those. With integers: the small float.
#define FIB_TORCH_OPERATOR(T, op)                                                                         \
  inline C10_HOST_DEVICE T operator op(const T& a, const T& b) {                                          \
    return static_cast<float>(a) op static_cast<float>(b);                                                \
  }                                                                                                       \
  inline C10_HOST_DEVICE float operator op(T a, float b) { return static_cast<float>(a) op b; }           \
  inline C10_HOST_DEVICE float operator op(float a, T b) { return a op static_cast<float>(b); }           \
  inline C10_HOST_DEVICE double operator op(T a, double b) { return static_cast<double>(a) op b; }        \
  inline C10_HOST_DEVICE double operator op(double a, T b) { return a op static_cast<double>(b); }        \
  inline C10_HOST_DEVICE T operator op(T a, int b) { return a op static_cast<T>(static_cast<float>(b)); } \
  inline C10_HOST_DEVICE T operator op(int a, T b) { return static_cast<T>(static_cast<float>(a)) op b; } \
  inline C10_HOST_DEVICE T operator op(T a, std::int64_t b) {                                             \
    return a op static_cast<T>(static_cast<float>(b));                                                    \
  }                                                                                                       \
  inline C10_HOST_DEVICE T operator op(std::int64_t a, T b) {                                             \
    return static_cast<T>(static_cast<float>(a)) op b;                                                    \
  }                                                                                                       \
  inline C10_HOST_DEVICE T& operator op##=(T& a, const T& b) { return a = a op b; }                       \
  inline C10_HOST_DEVICE float& operator op##=(float& a, const T& b) {                                    \
    return a op## = static_cast<float>(b);                                                                \
  }

#define FIB_TORCH_OPERATORS(T)                                                         \
  FIB_TORCH_OPERATOR(T, +)                                                             \
  FIB_TORCH_OPERATOR(T, -)                                                             \
  FIB_TORCH_OPERATOR(T, *)                                                             \
  FIB_TORCH_OPERATOR(T, /)                                                             \
  inline C10_HOST_DEVICE T operator-(const T& a) { return T(-static_cast<float>(a)); } \
  inline std::ostream& operator<<(std::ostream& out, const T& a) { return out << static_cast<float>(a); }

FIB_TORCH_OPERATORS(Half)
FIB_TORCH_OPERATORS(BFloat16)
FIB_TORCH_OPERATORS(Float8_e4m3fn)
FIB_TORCH_OPERATORS(Float8_e5m2)
#undef FIB_TORCH_OPERATORS
#undef FIB_TORCH_OPERATOR

}  // namespace c10

namespace std {

// Of the formats: digits, exponents and the codes of their extremes.
#define FIB_TORCH_LIMITS(T, Bits, digits_, digits10_, max_digits10_, min_exp, min_exp10, max_exp, max_exp10, \
                         has_inf, lowest_, min_, max_, epsilon_, infinity_, nan_, denorm_)                   \
  template <>                                                                                                \
  class numeric_limits<T> {                                                                                  \
   public:                                                                                                   \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false,     \
                          has_infinity = has_inf, has_quiet_NaN = true, has_signaling_NaN = has_inf,         \
                          is_iec559 = has_inf, is_bounded = true, is_modulo = false, traps = false,          \
                          tinyness_before = false, has_denorm_loss = true;                                   \
    static constexpr auto has_denorm = numeric_limits<float>::has_denorm;                                    \
    static constexpr auto round_style = numeric_limits<float>::round_style;                                  \
    static constexpr int digits = digits_, digits10 = digits10_, max_digits10 = max_digits10_, radix = 2,    \
                         min_exponent = min_exp, min_exponent10 = min_exp10, max_exponent = max_exp,         \
                         max_exponent10 = max_exp10;                                                         \
    static constexpr C10_HOST_DEVICE T min() { return {Bits(min_), T::from_bits()}; }                        \
    static constexpr C10_HOST_DEVICE T lowest() { return {Bits(lowest_), T::from_bits()}; }                  \
    static constexpr C10_HOST_DEVICE T max() { return {Bits(max_), T::from_bits()}; }                        \
    static constexpr C10_HOST_DEVICE T epsilon() { return {Bits(epsilon_), T::from_bits()}; }                \
    static constexpr C10_HOST_DEVICE T infinity() { return {Bits(infinity_), T::from_bits()}; }              \
    static constexpr C10_HOST_DEVICE T quiet_NaN() { return {Bits(nan_), T::from_bits()}; }                  \
    static constexpr C10_HOST_DEVICE T denorm_min() { return {Bits(denorm_), T::from_bits()}; }              \
  };

FIB_TORCH_LIMITS(c10::Half, uint16_t, 11, 3, 5, -13, -4, 16, 4, true, 0xfbff, 0x0400, 0x7bff, 0x1400, 0x7c00,
                 0x7e00, 1)
FIB_TORCH_LIMITS(c10::BFloat16, uint16_t, 8, 2, 4, -125, -37, 128, 38, true, 0xff7f, 0x0080, 0x7f7f, 0x3c00,
                 0x7f80, 0x7fc0, 1)
FIB_TORCH_LIMITS(c10::Float8_e4m3fn, uint8_t, 4, 0, 3, -5, -1, 8, 2, false, 0xfe, 0x08, 0x7e, 0x20, 0x7f,
                 0x7f, 1)
FIB_TORCH_LIMITS(c10::Float8_e5m2, uint8_t, 3, 0, 2, -13, -4, 16, 4, true, 0xfb, 0x04, 0x7b, 0x34, 0x7c, 0x7f,
                 1)
#undef FIB_TORCH_LIMITS

}  // namespace std

#if defined(__CUDACC__)
inline __device__ c10::Half __ldg(const c10::Half* address) {
  return {__ldg(reinterpret_cast<const std::uint16_t*>(address)), c10::Half::from_bits()};
}
inline __device__ c10::BFloat16 __ldg(const c10::BFloat16* address) {
  return {__ldg(reinterpret_cast<const std::uint16_t*>(address)), c10::BFloat16::from_bits()};
}
#endif
