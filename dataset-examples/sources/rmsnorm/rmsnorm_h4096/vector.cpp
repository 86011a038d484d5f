// RMSNorm over rows of 4096 bfloat16 numbers. Each row is read as four streams, so that four sums and four
// chains of cache misses are under way at once; both loops are vectorised.

#include <cmath>
#include <cstdint>

#include "bfloat16.h"

namespace {

constexpr std::int64_t kHiddenSize = 4096;
constexpr std::int64_t kQuarter = kHiddenSize / 4;
constexpr float kEpsilon = 1e-5f;

float square(std::uint16_t bits) {
  const float value = bfloat16_to_float(bits);
  return value * value;
}

float sum_of_squares(const std::uint16_t* x) {
  float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
  for (std::int64_t i = 0; i < kQuarter; ++i) {
    s0 += square(x[i]);
    s1 += square(x[i + kQuarter]);
    s2 += square(x[i + 2 * kQuarter]);
    s3 += square(x[i + 3 * kQuarter]);
  }
  return (s0 + s1) + (s2 + s3);
}

}  // namespace

extern "C" void run(const std::uint16_t* __restrict__ hidden_states, const std::uint16_t* __restrict__ weight,
                    std::uint16_t* __restrict__ output, std::int64_t batch_size) {
  for (std::int64_t row = 0; row < batch_size; ++row) {
    const std::uint16_t* __restrict__ x = hidden_states + row * kHiddenSize;
    std::uint16_t* __restrict__ y = output + row * kHiddenSize;
    const float inverse_rms = 1.0f / std::sqrt(sum_of_squares(x) / kHiddenSize + kEpsilon);
#pragma omp simd
    for (std::int64_t i = 0; i < kHiddenSize; ++i) {
      y[i] = float_to_bfloat16(bfloat16_to_float(x[i]) * inverse_rms * bfloat16_to_float(weight[i]));
    }
  }
}
