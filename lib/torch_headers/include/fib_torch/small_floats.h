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

#if defined(__CUDACC__)
inline __device__ c10::Half __ldg(const c10::Half* address) {
  return {__ldg(reinterpret_cast<const std::uint16_t*>(address)), c10::Half::from_bits()};
}
inline __device__ c10::BFloat16 __ldg(const c10::BFloat16* address) {
  return {__ldg(reinterpret_cast<const std::uint16_t*>(address)), c10::BFloat16::from_bits()};
}
#endif

#include "fib_torch/limits.h"
