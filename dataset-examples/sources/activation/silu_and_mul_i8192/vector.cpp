// silu(gate) * up, where each row of the input holds 8192 gates and then 8192 ups; vectorised, with a
// polynomial for the exponential.

#include <cstdint>

#include "bfloat16.h"
#include "fast_exp.h"

extern "C" void run(const std::uint16_t* input, std::uint16_t* output, std::int64_t num_tokens) {
  constexpr std::int64_t kIntermediateSize = 8192;
  for (std::int64_t token = 0; token < num_tokens; ++token) {
    const std::uint16_t* __restrict__ gates = input + token * 2 * kIntermediateSize;
    const std::uint16_t* __restrict__ ups = gates + kIntermediateSize;
    std::uint16_t* __restrict__ y = output + token * kIntermediateSize;
#pragma omp simd
    for (std::int64_t i = 0; i < kIntermediateSize; ++i) {
      const float gate = bfloat16_to_float(gates[i]);
      y[i] = float_to_bfloat16(gate / (1.0f + fast_exp(-gate)) * bfloat16_to_float(ups[i]));
    }
  }
}
