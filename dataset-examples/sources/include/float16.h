#pragma once

#include <cstdint>
#include <cstring>

// IEEE binary16 by integer arithmetic. g++ 12 also has _Float16 (x86-64 with SSE2, aarch64), but clang++ 14
// has it only where the processor computes in half precision, and this vectorises everywhere.
inline float float16_to_float(std::uint16_t bits) {
  // Exponent and fraction moved into place make the number too small by 2^112, also when it is subnormal.
  const std::uint32_t magnitude = (bits & 0x7fffu) << 13;
  float value;
  std::memcpy(&value, &magnitude, sizeof value);
  value *= 0x1p112f;
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  word |= magnitude < 0x0f800000u ? 0u : 0x7f800000u;  // infinity and NaN: all ones in the exponent
  word |= (bits & 0x8000u) << 16;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

// Rounds to nearest, ties to even; overflow becomes infinity, a NaN stays a NaN.
inline std::uint16_t float_to_float16(float value) {
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  const std::uint32_t sign = (word >> 16) & 0x8000u;
  word &= 0x7fffffffu;
  std::uint32_t magnitude;
  if (word > 0x7f800000u) {
    magnitude = 0x7e00u;  // NaN
  } else if (word >= 0x477ff000u) {
    magnitude = 0x7c00u;  // 65520 and above round to infinity
  } else if (word < 0x38800000u) {
    // Below 2^-14 the result is subnormal, a multiple of 2^-24: adding 0.5 makes the float unit round to just
    // that.
    float shifted;
    std::memcpy(&shifted, &word, sizeof shifted);
    shifted += 0.5f;
    std::memcpy(&magnitude, &shifted, sizeof magnitude);
    magnitude -= 0x3f000000u;
  } else {
    word += 0xfffu + ((word >> 13) & 1u);
    magnitude = (word >> 13) - ((127u - 15u) << 10);
  }
  return static_cast<std::uint16_t>(sign | magnitude);
}
