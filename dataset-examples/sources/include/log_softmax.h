#pragma once

#include <cmath>
#include <cstdint>

#include "fast_exp.h"

// y = log_softmax(x) for one row of kSize numbers. Maximum and sum are kept in kParts parts, which vectorise
// without leave to reorder float additions. The row stays in the second level cache between the loops.
template <std::int64_t kSize>
inline void log_softmax(const float* __restrict__ x, float* __restrict__ y) {
  constexpr std::int64_t kParts = 32;
  static_assert(kSize % kParts == 0);

  float maxima[kParts];
  for (std::int64_t j = 0; j < kParts; ++j) maxima[j] = x[j];
  for (std::int64_t i = kParts; i < kSize; i += kParts) {
    for (std::int64_t j = 0; j < kParts; ++j) maxima[j] = x[i + j] > maxima[j] ? x[i + j] : maxima[j];
  }
  float largest = maxima[0];
  for (std::int64_t j = 1; j < kParts; ++j) largest = maxima[j] > largest ? maxima[j] : largest;

  float sums[kParts] = {};
  for (std::int64_t i = 0; i < kSize; i += kParts) {
    for (std::int64_t j = 0; j < kParts; ++j) sums[j] += fast_exp(x[i + j] - largest);
  }
  float sum = 0.0f;
  for (std::int64_t j = 0; j < kParts; ++j) sum += sums[j];

  const float log_sum = largest + std::log(sum);
  for (std::int64_t i = 0; i < kSize; ++i) y[i] = x[i] - log_sum;
}
