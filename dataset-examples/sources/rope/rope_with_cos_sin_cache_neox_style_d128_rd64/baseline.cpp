// Rotary embedding, NeoX style: of each head of 128 numbers, pairs (i, i + 32) of the first 64 are rotated by
// the angle of their token's position, and the rest is copied.

#include <cstdint>

#include "bfloat16.h"

namespace {

constexpr std::int64_t kHeadSize = 128;
constexpr std::int64_t kRotaryDim = 64;
constexpr std::int64_t kPairs = kRotaryDim / 2;

void rotate_head(const std::uint16_t* x, const float* cos, const float* sin, std::uint16_t* y) {
  for (std::int64_t i = 0; i < kPairs; ++i) {
    const float x1 = bfloat16_to_float(x[i]);
    const float x2 = bfloat16_to_float(x[i + kPairs]);
    y[i] = float_to_bfloat16(x1 * cos[i] - x2 * sin[i]);
    y[i + kPairs] = float_to_bfloat16(x2 * cos[i] + x1 * sin[i]);
  }
  for (std::int64_t i = kRotaryDim; i < kHeadSize; ++i) {
    y[i] = x[i];
  }
}

}  // namespace

// Returns 1 if a position is outside the table of cosines and sines.
extern "C" int run(const std::uint16_t* q, const std::uint16_t* k, const float* cos_sin_cache,
                   const std::int64_t* positions, std::uint16_t* q_out, std::uint16_t* k_out,
                   std::int64_t num_tokens, std::int64_t num_qo_heads, std::int64_t num_kv_heads,
                   std::int64_t max_seq_len) {
  for (std::int64_t token = 0; token < num_tokens; ++token) {
    if (positions[token] < 0 || positions[token] >= max_seq_len) return 1;
    const float* cos = cos_sin_cache + positions[token] * kRotaryDim;
    const float* sin = cos + kPairs;
    for (std::int64_t head = 0; head < num_qo_heads; ++head) {
      const std::int64_t offset = (token * num_qo_heads + head) * kHeadSize;
      rotate_head(q + offset, cos, sin, q_out + offset);
    }
    for (std::int64_t head = 0; head < num_kv_heads; ++head) {
      const std::int64_t offset = (token * num_kv_heads + head) * kHeadSize;
      rotate_head(k + offset, cos, sin, k_out + offset);
    }
  }
  return 0;
}
