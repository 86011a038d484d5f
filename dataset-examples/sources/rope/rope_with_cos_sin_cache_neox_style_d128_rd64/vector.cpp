// Rotary embedding, NeoX style: of each head of 128 numbers, pairs (i, i + 32) of the first 64 are rotated by
// the angle of their token's position, and the rest is copied. Vectorised; the loops over one head are
// unrolled.

#include <cstdint>
#include <cstring>

#include "bfloat16.h"

namespace {

constexpr std::int64_t kHeadSize = 128;
constexpr std::int64_t kRotaryDim = 64;
constexpr std::int64_t kPairs = kRotaryDim / 2;

void rotate_heads(const std::uint16_t* __restrict__ x, const float* __restrict__ cos,
                  const float* __restrict__ sin, std::int64_t heads, std::uint16_t* __restrict__ y) {
  for (; heads > 0; --heads, x += kHeadSize, y += kHeadSize) {
#pragma omp simd
    for (std::int64_t i = 0; i < kPairs; ++i) {
      const float x1 = bfloat16_to_float(x[i]);
      const float x2 = bfloat16_to_float(x[i + kPairs]);
      y[i] = float_to_bfloat16(x1 * cos[i] - x2 * sin[i]);
      y[i + kPairs] = float_to_bfloat16(x2 * cos[i] + x1 * sin[i]);
    }
    std::memcpy(y + kRotaryDim, x + kRotaryDim, (kHeadSize - kRotaryDim) * sizeof *x);
  }
}

}  // namespace

// Returns 1 if a position is outside the table of cosines and sines.
extern "C" int run(const std::uint16_t* q, const std::uint16_t* k, const float* cos_sin_cache,
                   const std::int64_t* positions, std::uint16_t* q_out, std::uint16_t* k_out,
                   std::int64_t num_tokens, std::int64_t num_qo_heads, std::int64_t num_kv_heads,
                   std::int64_t max_seq_len) {
  const std::int64_t q_stride = num_qo_heads * kHeadSize;
  const std::int64_t k_stride = num_kv_heads * kHeadSize;
  for (std::int64_t token = 0; token < num_tokens; ++token) {
    if (positions[token] < 0 || positions[token] >= max_seq_len) return 1;
    const float* cos = cos_sin_cache + positions[token] * kRotaryDim;
    const float* sin = cos + kPairs;
    rotate_heads(q + token * q_stride, cos, sin, num_qo_heads, q_out + token * q_stride);
    rotate_heads(k + token * k_stride, cos, sin, num_kv_heads, k_out + token * k_stride);
  }
  return 0;
}
