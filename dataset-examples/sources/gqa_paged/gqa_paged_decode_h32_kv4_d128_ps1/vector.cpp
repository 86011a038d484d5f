// Paged decode attention, pages of one token: vectorised over the head dimension, the eight query heads of a
// key head at once.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "bfloat16.h"
#include "fast_exp.h"
#include "lanes.h"

namespace {

constexpr std::int64_t kQueryHeads = 32;
constexpr std::int64_t kKvHeads = 4;
constexpr std::int64_t kGroup = kQueryHeads / kKvHeads;  // query heads that share one key and value head
constexpr std::int64_t kHeadDim = 128;
constexpr std::int64_t kPageStride = kKvHeads * kHeadDim;  // pages of one token
constexpr std::int64_t kChunk = 32;                        // tokens taken at once

// The eight query heads of one key and value head, for one sequence. Tokens are taken in chunks: logits, then
// their exponentials relative to the largest logit so far, then the values, so that each key and value is
// read once, and a chunk's data stay in the first level cache. The arrays with a last index g are over the
// heads of the group.
class Group {
 public:
  Group(const std::uint16_t* queries, float scale) {
    for (std::int64_t i = 0; i < kGroup * kHeadDim; ++i) queries_[i] = bfloat16_to_float(queries[i]) * scale;
    std::fill_n(largest_, kGroup, -std::numeric_limits<float>::infinity());
  }

  // `keys` and `values` point at the head's part of page 0.
  void attend(const std::uint16_t* keys, const std::uint16_t* values, const std::int32_t* pages,
              std::int64_t tokens) {
    prefetch(keys, pages, std::min(kChunk, tokens));
    for (std::int64_t t = 0; t < tokens; t += kChunk) {
      const std::int64_t count = std::min(kChunk, tokens - t);
      prefetch(values, pages + t, count);
      compute_logits(keys, pages + t, count);
      prefetch(keys, pages + t + count, std::min(kChunk, tokens - t - count));
      rescale(count);
      add_values(values, pages + t, count);
    }
  }

  // Writes the kGroup outputs and log-sum-exps to base 2; zeros and -infinity for a sequence without tokens.
  void finish(std::uint16_t* output, float* lse) const {
    for (std::int64_t g = 0; g < kGroup; ++g) {
      const float inverse = sum_[g] > 0.0f ? 1.0f / sum_[g] : 0.0f;
      for (std::int64_t d = 0; d < kHeadDim; ++d) {
        output[g * kHeadDim + d] = float_to_bfloat16(result_[g * kHeadDim + d] * inverse);
      }
      lse[g] = (largest_[g] + std::log(sum_[g])) * 1.44269504f;
    }
  }

 private:
  // Pages lie anywhere, so that only asking for them early hides the memory's latency.
  static void prefetch(const std::uint16_t* rows, const std::int32_t* pages, std::int64_t count) {
    constexpr std::int64_t kCacheLine = 64 / sizeof *rows;
    for (std::int64_t t = 0; t < count; ++t) {
      for (std::int64_t d = 0; d < kHeadDim; d += kCacheLine)
        __builtin_prefetch(rows + pages[t] * kPageStride + d);
    }
  }

  void compute_logits(const std::uint16_t* keys, const std::int32_t* pages, std::int64_t count) {
    for (std::int64_t t = 0; t < count; ++t) {
      const std::uint16_t* key = keys + pages[t] * kPageStride;
      Lanes sums[kGroup] = {};
      for (std::int64_t d = 0; d < kHeadDim; d += kLanes) {
        const Lanes k = load_bfloat16(key + d);
        for (std::int64_t g = 0; g < kGroup; ++g) sums[g] += load(queries_ + g * kHeadDim + d) * k;
      }
      for (std::int64_t g = 0; g < kGroup; ++g) weights_[t * kGroup + g] = sum(sums[g]);
    }
  }

  // Turns logits into weights; scales what was summed before to a new largest logit.
  void rescale(std::int64_t count) {
    float previous[kGroup];
    std::copy_n(largest_, kGroup, previous);
    for (std::int64_t t = 0; t < count; ++t) {
      for (std::int64_t g = 0; g < kGroup; ++g) {
        const float logit = weights_[t * kGroup + g];
        largest_[g] = logit > largest_[g] ? logit : largest_[g];
      }
    }
    for (std::int64_t g = 0; g < kGroup; ++g) {
      const float factor = fast_exp(previous[g] - largest_[g]);
      sum_[g] *= factor;
      for (std::int64_t d = 0; d < kHeadDim; ++d) result_[g * kHeadDim + d] *= factor;
    }
    for (std::int64_t t = 0; t < count; ++t) {
      for (std::int64_t g = 0; g < kGroup; ++g) {
        float& weight = weights_[t * kGroup + g];
        weight = fast_exp(weight - largest_[g]);
        sum_[g] += weight;
      }
    }
  }

  void add_values(const std::uint16_t* values, const std::int32_t* pages, std::int64_t count) {
    for (std::int64_t d = 0; d < kHeadDim; d += kLanes) {
      Lanes sums[kGroup];
      for (std::int64_t g = 0; g < kGroup; ++g) sums[g] = load(result_ + g * kHeadDim + d);
      for (std::int64_t t = 0; t < count; ++t) {
        const Lanes v = load_bfloat16(values + pages[t] * kPageStride + d);
        for (std::int64_t g = 0; g < kGroup; ++g) sums[g] += weights_[t * kGroup + g] * v;
      }
      for (std::int64_t g = 0; g < kGroup; ++g) store(sums[g], result_ + g * kHeadDim + d);
    }
  }

  alignas(64) float queries_[kGroup * kHeadDim];  // times the scale
  alignas(64) float result_[kGroup * kHeadDim] = {};
  alignas(64) float weights_[kChunk * kGroup];
  float largest_[kGroup];
  float sum_[kGroup] = {};
};

// One sequence and one key and value head.
void attend_group(const std::uint16_t* q, const std::uint16_t* k_cache, const std::uint16_t* v_cache,
                  const std::int32_t* pages, std::int64_t tokens, float scale, std::uint16_t* output,
                  float* lse) {
  Group group(q, scale);
  group.attend(k_cache, v_cache, pages, tokens);
  group.finish(output, lse);
}

// Whether the offsets of the sequences and the page numbers are in range.
bool indices_are_valid(const std::int32_t* kv_indptr, const std::int32_t* kv_indices, std::int64_t batch_size,
                       std::int64_t num_pages, std::int64_t len_indptr, std::int64_t num_kv_indices) {
  if (len_indptr != batch_size + 1 || kv_indptr[0] < 0 || kv_indptr[batch_size] > num_kv_indices)
    return false;
  std::int64_t bad = 0;
  for (std::int64_t b = 0; b < batch_size; ++b) bad += kv_indptr[b + 1] < kv_indptr[b];
  for (std::int64_t i = 0; i < num_kv_indices; ++i) bad += kv_indices[i] < 0 || kv_indices[i] >= num_pages;
  return bad == 0;
}

}  // namespace

// Returns 1 if the offsets of the sequences or the page numbers are out of range.
extern "C" int run(const std::uint16_t* q, const std::uint16_t* k_cache, const std::uint16_t* v_cache,
                   const std::int32_t* kv_indptr, const std::int32_t* kv_indices, float sm_scale,
                   std::uint16_t* output, float* lse, std::int64_t batch_size, std::int64_t num_pages,
                   std::int64_t len_indptr, std::int64_t num_kv_indices) {
  if (!indices_are_valid(kv_indptr, kv_indices, batch_size, num_pages, len_indptr, num_kv_indices)) return 1;
  for (std::int64_t i = 0; i < batch_size * kKvHeads; ++i) {
    const std::int64_t sequence = i / kKvHeads;
    const std::int64_t kv_offset = i % kKvHeads * kHeadDim;
    const std::int64_t begin = kv_indptr[sequence];
    attend_group(q + i * kGroup * kHeadDim, k_cache + kv_offset, v_cache + kv_offset, kv_indices + begin,
                 kv_indptr[sequence + 1] - begin, sm_scale, output + i * kGroup * kHeadDim, lse + i * kGroup);
  }
  return 0;
}
