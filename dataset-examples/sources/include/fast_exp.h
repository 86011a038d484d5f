#pragma once

#include <cstdint>
#include <cstring>

// e^x to a few parts in 10^7, free of branches, so that loops over it vectorise. Below -87 the result is 0 or
// next to it, above 88 it is at least 1e38; a NaN stays a NaN.
inline float fast_exp(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  // x = k ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to an integer and leaves it in the low
  // bits.
  const float shifted = x * 1.44269504f + 0x1.8p23f;
  const float k = shifted - 0x1.8p23f;
  const float r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  // The polynomial of e^r, by Taylor up to r^6 / 720.
  float p = 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  // 2^k, made from its exponent.
  std::uint32_t exponent;
  std::memcpy(&exponent, &shifted, sizeof exponent);
  exponent = (exponent + 127u) << 23;
  float scale;
  std::memcpy(&scale, &exponent, sizeof scale);
  return p * scale;
}
