// RMSNorm of hidden_states + residual over rows of 2048 bfloat16 numbers. The sums of a row are kept in
// float32, so that each input is read once; two partial sums at a time; both loops are vectorised.

#include <cmath>
#include <cstdint>

#include "bfloat16.h"

namespace {

constexpr std::int64_t kHiddenSize = 2048;
constexpr std::int64_t kHalf = kHiddenSize / 2;
constexpr float kEpsilon = 1e-6f;

// x = h + r; returns the sum of the squares of x.
float add(const std::uint16_t* __restrict__ h, const std::uint16_t* __restrict__ r, float* __restrict__ x) {
  float s0 = 0.0f, s1 = 0.0f;
#pragma omp simd reduction(+ : s0, s1)
  for (std::int64_t i = 0; i < kHalf; ++i) {
    const float x0 = bfloat16_to_float(h[i]) + bfloat16_to_float(r[i]);
    const float x1 = bfloat16_to_float(h[i + kHalf]) + bfloat16_to_float(r[i + kHalf]);
    s0 += x0 * x0;
    s1 += x1 * x1;
    x[i] = x0;
    x[i + kHalf] = x1;
  }
  return s0 + s1;
}

}  // namespace

extern "C" void run(const std::uint16_t* __restrict__ hidden_states,
                    const std::uint16_t* __restrict__ residual, const std::uint16_t* __restrict__ weight,
                    std::uint16_t* __restrict__ output, std::int64_t batch_size) {
  alignas(64) float x[kHiddenSize];
  for (std::int64_t row = 0; row < batch_size; ++row) {
    const float sum = add(hidden_states + row * kHiddenSize, residual + row * kHiddenSize, x);
    const float inverse_rms = 1.0f / std::sqrt(sum / kHiddenSize + kEpsilon);
    std::uint16_t* __restrict__ y = output + row * kHiddenSize;
#pragma omp simd
    for (std::int64_t i = 0; i < kHiddenSize; ++i) {
      y[i] = float_to_bfloat16(x[i] * inverse_rms * bfloat16_to_float(weight[i]));
    }
  }
}
