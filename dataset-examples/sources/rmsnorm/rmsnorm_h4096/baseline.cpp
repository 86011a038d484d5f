// RMSNorm over rows of 4096 bfloat16 numbers: one pass for the sum of squares, one for the results.

#include <cmath>
#include <cstdint>

#include "bfloat16.h"

extern "C" void run(const std::uint16_t* hidden_states, const std::uint16_t* weight, std::uint16_t* output,
                    std::int64_t batch_size) {
  constexpr std::int64_t kHiddenSize = 4096;
  constexpr float kEpsilon = 1e-5f;
  for (std::int64_t row = 0; row < batch_size; ++row) {
    const std::uint16_t* x = hidden_states + row * kHiddenSize;
    std::uint16_t* y = output + row * kHiddenSize;
    float sum = 0.0f;
    for (std::int64_t i = 0; i < kHiddenSize; ++i) {
      const float value = bfloat16_to_float(x[i]);
      sum += value * value;
    }
    const float inverse_rms = 1.0f / std::sqrt(sum / kHiddenSize + kEpsilon);
    for (std::int64_t i = 0; i < kHiddenSize; ++i) {
      y[i] = float_to_bfloat16(bfloat16_to_float(x[i]) * inverse_rms * bfloat16_to_float(weight[i]));
    }
  }
}
