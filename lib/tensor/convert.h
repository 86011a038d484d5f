#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

// Conversions between float32 and the small float formats: round to nearest, ties to even, everywhere.
namespace fib::tensor {

// IEEE binary16: overflow becomes infinity, NaN stays NaN.
[[nodiscard]] float float16_to_float(std::uint16_t bits);
[[nodiscard]] std::uint16_t float_to_float16(float value);

// bfloat16: the upper half of a float32.
[[nodiscard]] float bfloat16_to_float(std::uint16_t bits);
[[nodiscard]] std::uint16_t float_to_bfloat16(float value);

// OCP FP8 E4M3 ("fn": no infinities; 0x7f and 0xff are NaN; largest finite 448). As torch's cast does, values
// that round beyond 448 and infinities become NaN (not saturated).
[[nodiscard]] float float8_e4m3fn_to_float(std::uint8_t bits);
[[nodiscard]] std::uint8_t float_to_float8_e4m3fn(float value);

// OCP FP8 E5M2: IEEE-like, with infinities and NaN; overflow becomes infinity.
[[nodiscard]] float float8_e5m2_to_float(std::uint8_t bits);
[[nodiscard]] std::uint8_t float_to_float8_e5m2(float value);

// OCP FP4 E2M1 in the low nibble: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives; saturates at 6, NaN becomes
// +6.
[[nodiscard]] float float4_e2m1_to_float(std::uint8_t nibble);
[[nodiscard]] std::uint8_t float_to_float4_e2m1(float value);

// Bulk conversion of `count` contiguous elements between any dtype and float32 (or float64). Integers convert
// by value (to integers: truncation toward zero, as a C cast; out of range values saturate; NaN becomes 0);
// bool is value != 0. `source` and `target` must not overlap. Vectorisable loops; no allocation; any thread.
void to_float(DType dtype, const void* source, float* target, std::size_t count);
void from_float(DType dtype, const float* source, void* target, std::size_t count);
void to_double(DType dtype, const void* source, double* target, std::size_t count);
void from_double(DType dtype, const double* source, void* target, std::size_t count);

}  // namespace fib::tensor
