#pragma once

#include <cmath>
#include <cstdint>

// |sin x| has the period pi, so the nearest multiple of pi can be taken away whatever its parity. Up to this
// magnitude the multiple is below 2^12, and the parts of pi below (12 bits each, but the last) lose nothing.
constexpr float kAbsSinLimit = 8192.0f;

// |sin x| for |x| <= kAbsSinLimit, to a few parts in 10^7 of 1. Free of branches, so that loops over it
// vectorise.
inline float abs_sin(float x) {
  // Adding 1.5 * 2^23 rounds to an integer.
  const float k = (x * 0.318309886f + 0x1.8p23f) - 0x1.8p23f;
  float r = x - k * 0x1.92p+1f;
  r -= k * 0x1.fb4p-11f;
  r -= k * 0x1.4442d2p-23f;
  // The odd polynomial of sin r for |r| <= pi / 2, by Taylor up to r^11 / 11!.
  const float s = r * r;
  float p = -1.0f / 39916800.0f;
  p = p * s + 1.0f / 362880.0f;
  p = p * s - 1.0f / 5040.0f;
  p = p * s + 1.0f / 120.0f;
  p = p * s - 1.0f / 6.0f;
  p = p * s + 1.0f;
  return std::fabs(p * r);
}

// output = sqrt(|sin(a + b)|) for `count` elements.
inline void sqrt_abs_sin_add(const float* __restrict__ a, const float* __restrict__ b,
                             float* __restrict__ output, std::int64_t count) {
  std::int64_t far = 0;
  for (std::int64_t i = 0; i < count; ++i) far += !(std::fabs(a[i] + b[i]) <= kAbsSinLimit);
  if (far == 0) {
    for (std::int64_t i = 0; i < count; ++i) output[i] = std::sqrt(abs_sin(a[i] + b[i]));
  } else {  // large arguments, infinities and NaN are left to the C library
    for (std::int64_t i = 0; i < count; ++i) output[i] = std::sqrt(std::fabs(std::sin(a[i] + b[i])));
  }
}
