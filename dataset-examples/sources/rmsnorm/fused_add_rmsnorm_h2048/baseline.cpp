// RMSNorm of hidden_states + residual over rows of 2048 bfloat16 numbers; the sums are formed twice, in
// float32.

#include <cmath>
#include <cstdint>

#include "bfloat16.h"

extern "C" void run(const std::uint16_t* hidden_states, const std::uint16_t* residual,
                    const std::uint16_t* weight, std::uint16_t* output, std::int64_t batch_size) {
  constexpr std::int64_t kHiddenSize = 2048;
  constexpr float kEpsilon = 1e-6f;
  for (std::int64_t row = 0; row < batch_size; ++row) {
    const std::uint16_t* h = hidden_states + row * kHiddenSize;
    const std::uint16_t* r = residual + row * kHiddenSize;
    std::uint16_t* y = output + row * kHiddenSize;
    float sum = 0.0f;
    for (std::int64_t i = 0; i < kHiddenSize; ++i) {
      const float x = bfloat16_to_float(h[i]) + bfloat16_to_float(r[i]);
      sum += x * x;
    }
    const float inverse_rms = 1.0f / std::sqrt(sum / kHiddenSize + kEpsilon);
    for (std::int64_t i = 0; i < kHiddenSize; ++i) {
      const float x = bfloat16_to_float(h[i]) + bfloat16_to_float(r[i]);
      y[i] = float_to_bfloat16(x * inverse_rms * bfloat16_to_float(weight[i]));
    }
  }
}
