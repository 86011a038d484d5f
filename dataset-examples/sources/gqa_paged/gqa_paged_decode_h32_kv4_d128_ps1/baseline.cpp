// Paged decode attention, pages of one token: for each sequence and query head the logits of all its tokens,
// their softmax, and the weighted sum of the values; float32 in between.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bfloat16.h"

namespace {

constexpr std::int64_t kQueryHeads = 32;
constexpr std::int64_t kKvHeads = 4;
constexpr std::int64_t kGroup = kQueryHeads / kKvHeads;
constexpr std::int64_t kHeadDim = 128;

// One query head against the tokens of one sequence. `keys` and `values` point at the head's part of page 0.
// Returns the log-sum-exp of the logits to base 2.
float attend(const std::uint16_t* query, const std::uint16_t* keys, const std::uint16_t* values,
             const std::int32_t* pages, std::int64_t tokens, float scale, std::uint16_t* output) {
  std::vector<float> weights(tokens);
  float largest = -std::numeric_limits<float>::infinity();
  for (std::int64_t t = 0; t < tokens; ++t) {
    const std::uint16_t* key = keys + pages[t] * kKvHeads * kHeadDim;
    float logit = 0.0f;
    for (std::int64_t d = 0; d < kHeadDim; ++d) {
      logit += bfloat16_to_float(query[d]) * bfloat16_to_float(key[d]);
    }
    weights[t] = logit * scale;
    largest = std::max(largest, weights[t]);
  }
  float sum = 0.0f;
  for (float& weight : weights) {
    weight = std::exp(weight - largest);
    sum += weight;
  }
  for (std::int64_t d = 0; d < kHeadDim; ++d) {
    float value = 0.0f;
    for (std::int64_t t = 0; t < tokens; ++t) {
      value += weights[t] * bfloat16_to_float(values[pages[t] * kKvHeads * kHeadDim + d]);
    }
    output[d] = float_to_bfloat16(tokens > 0 ? value / sum : 0.0f);
  }
  return (largest + std::log(sum)) * 1.44269504f;
}

}  // namespace

// Returns 1 if the offsets of the sequences or the page numbers are out of range.
extern "C" int run(const std::uint16_t* q, const std::uint16_t* k_cache, const std::uint16_t* v_cache,
                   const std::int32_t* kv_indptr, const std::int32_t* kv_indices, float sm_scale,
                   std::uint16_t* output, float* lse, std::int64_t batch_size, std::int64_t num_pages,
                   std::int64_t len_indptr, std::int64_t num_kv_indices) {
  if (len_indptr != batch_size + 1) return 1;
  for (std::int64_t b = 0; b < batch_size; ++b) {
    const std::int64_t begin = kv_indptr[b];
    const std::int64_t end = kv_indptr[b + 1];
    if (begin < 0 || end < begin || end > num_kv_indices) return 1;
    for (std::int64_t t = begin; t < end; ++t) {
      if (kv_indices[t] < 0 || kv_indices[t] >= num_pages) return 1;
    }
    for (std::int64_t head = 0; head < kQueryHeads; ++head) {
      const std::int64_t row = b * kQueryHeads + head;
      const std::int64_t kv_offset = head / kGroup * kHeadDim;
      lse[row] = attend(q + row * kHeadDim, k_cache + kv_offset, v_cache + kv_offset, kv_indices + begin,
                        end - begin, sm_scale, output + row * kHeadDim);
    }
  }
  return 0;
}
