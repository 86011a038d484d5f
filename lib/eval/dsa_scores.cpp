#include "eval/dsa_scores.h"

#include <algorithm>
#include <cstring>

#include "tensor/convert.h"

namespace fib::eval {
namespace {

using tensor::DType;

constexpr std::size_t kScaleBytes = 4;

}  // namespace

IndexerRow::IndexerRow(const IndexerInputs& inputs, std::size_t row)
    : inputs_(inputs),
      weights_(inputs.weights + row * inputs.heads),
      q_(inputs.head_dim * inputs.heads),
      k_(inputs.head_dim),
      dots_(inputs.heads) {
  for (std::size_t head = 0; head < inputs.heads; ++head) {
    const std::uint8_t* q = inputs.q + (row * inputs.heads + head) * inputs.head_dim;
    tensor::to_float(DType::kFloat8E4M3FN, q, k_.data(), inputs.head_dim);
    for (std::size_t d = 0; d < inputs.head_dim; ++d) q_[d * inputs.heads + head] = k_[d];
  }
  const auto tokens = static_cast<std::size_t>(std::max(0, inputs.seq_lens[row]));
  for (std::size_t slot = 0; slot < inputs.slots && slot * inputs.page_size < tokens; ++slot) {
    const std::int32_t page = inputs.block_table[row * inputs.slots + slot];
    if (page < 0 || static_cast<std::size_t>(page) >= inputs.pages) continue;
    lengths_[page].push_back(std::min(inputs.page_size, tokens - slot * inputs.page_size));
  }
  for (auto& [page, lengths] : lengths_) std::sort(lengths.begin(), lengths.end());
}

std::size_t IndexerRow::tokens_at(std::int32_t index) const {
  if (index < 0 || inputs_.page_size == 0) return 0;
  const auto page = lengths_.find(index / static_cast<std::int64_t>(inputs_.page_size));
  if (page == lengths_.end()) return 0;
  const std::size_t offset = static_cast<std::size_t>(index) % inputs_.page_size;
  const auto& lengths = page->second;
  return static_cast<std::size_t>(lengths.end() - std::upper_bound(lengths.begin(), lengths.end(), offset));
}

// Heads are the inner loop, so that it vectorises without another order of summation.
float IndexerRow::score(std::int32_t index) {
  const std::size_t page = static_cast<std::size_t>(index) / inputs_.page_size;
  const std::size_t offset = static_cast<std::size_t>(index) % inputs_.page_size;
  const std::uint8_t* data = inputs_.cache + page * inputs_.page_size * (inputs_.head_dim + kScaleBytes);
  tensor::to_float(DType::kFloat8E4M3FN, data + offset * inputs_.head_dim, k_.data(), inputs_.head_dim);
  float scale = 0;
  std::memcpy(&scale, data + inputs_.page_size * inputs_.head_dim + offset * kScaleBytes, kScaleBytes);
  std::fill(dots_.begin(), dots_.end(), 0.0F);
  for (std::size_t d = 0; d < inputs_.head_dim; ++d) {
    const float k = k_[d] * scale;
    const float* q = q_.data() + d * inputs_.heads;
    for (std::size_t head = 0; head < inputs_.heads; ++head) dots_[head] += q[head] * k;
  }
  float score = 0;
  for (std::size_t head = 0; head < inputs_.heads; ++head)
    score += weights_[head] * std::max(0.0F, dots_[head]);
  return score;
}

}  // namespace fib::eval
