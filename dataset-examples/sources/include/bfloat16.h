#pragma once

#include <cstdint>
#include <cstring>

// A bfloat16 is the upper half of a float32.
inline float bfloat16_to_float(std::uint16_t bits) {
  const std::uint32_t word = static_cast<std::uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

// Rounds to nearest, ties to even; a NaN stays a NaN. Free of branches, so that loops over it vectorise.
inline std::uint16_t float_to_bfloat16(float value) {
  std::uint32_t word;
  std::memcpy(&word, &value, sizeof word);
  const std::uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
  const std::uint32_t nan = (word >> 16) | 0x40u;
  return static_cast<std::uint16_t>(value != value ? nan : rounded);
}
