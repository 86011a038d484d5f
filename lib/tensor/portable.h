#pragma once

// What host code (g++) and device code (nvcc, NVRTC) spell differently. Headers that include only this one
// compile as both and compute the same bits in both: every float operation goes through a function below,
// each of which rounds once, to nearest, ties to even. Host code must be built with -ffp-contract=off and
// without -ffast-math; device code must not flush subnormals (-ftz=true) where it converts to or from
// bfloat16.
#if defined(__CUDACC__)
#define FIB_HOST_DEVICE __host__ __device__ __forceinline__
#define FIB_UNROLL _Pragma("unroll")
#else
#define FIB_HOST_DEVICE [[gnu::always_inline]] inline
#define FIB_UNROLL _Pragma("GCC unroll 16")
#endif

namespace fib::tensor {

// Not from <cstdint>, which NVRTC has not.
using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;
static_assert(sizeof(u32) == 4 && sizeof(u64) == 8 && sizeof(float) == 4 && sizeof(double) == 8);

#if defined(__CUDA_ARCH__)

FIB_HOST_DEVICE u32 bits_of_float(float value) { return __float_as_uint(value); }
FIB_HOST_DEVICE float float_of_bits(u32 bits) { return __uint_as_float(bits); }
FIB_HOST_DEVICE u64 bits_of_double(double value) { return static_cast<u64>(__double_as_longlong(value)); }
FIB_HOST_DEVICE double double_of_bits(u64 bits) { return __longlong_as_double(static_cast<i64>(bits)); }

FIB_HOST_DEVICE float add(float a, float b) { return __fadd_rn(a, b); }
FIB_HOST_DEVICE float subtract(float a, float b) { return __fsub_rn(a, b); }
FIB_HOST_DEVICE float multiply(float a, float b) { return __fmul_rn(a, b); }
FIB_HOST_DEVICE float divide(float a, float b) { return __fdiv_rn(a, b); }
FIB_HOST_DEVICE float square_root(float a) { return __fsqrt_rn(a); }
FIB_HOST_DEVICE double add(double a, double b) { return __dadd_rn(a, b); }
FIB_HOST_DEVICE double subtract(double a, double b) { return __dsub_rn(a, b); }
FIB_HOST_DEVICE double multiply(double a, double b) { return __dmul_rn(a, b); }
FIB_HOST_DEVICE double divide(double a, double b) { return __ddiv_rn(a, b); }
FIB_HOST_DEVICE double square_root(double a) { return __dsqrt_rn(a); }

#else

FIB_HOST_DEVICE u32 bits_of_float(float value) { return __builtin_bit_cast(u32, value); }
FIB_HOST_DEVICE float float_of_bits(u32 bits) { return __builtin_bit_cast(float, bits); }
FIB_HOST_DEVICE u64 bits_of_double(double value) { return __builtin_bit_cast(u64, value); }
FIB_HOST_DEVICE double double_of_bits(u64 bits) { return __builtin_bit_cast(double, bits); }

FIB_HOST_DEVICE float add(float a, float b) { return a + b; }
FIB_HOST_DEVICE float subtract(float a, float b) { return a - b; }
FIB_HOST_DEVICE float multiply(float a, float b) { return a * b; }
FIB_HOST_DEVICE float divide(float a, float b) { return a / b; }
FIB_HOST_DEVICE float square_root(float a) { return __builtin_sqrtf(a); }
FIB_HOST_DEVICE double add(double a, double b) { return a + b; }
FIB_HOST_DEVICE double subtract(double a, double b) { return a - b; }
FIB_HOST_DEVICE double multiply(double a, double b) { return a * b; }
FIB_HOST_DEVICE double divide(double a, double b) { return a / b; }
FIB_HOST_DEVICE double square_root(double a) { return __builtin_sqrt(a); }

#endif

}  // namespace fib::tensor
