#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "eval/layout.h"

namespace fib::eval {

// The inputs of the top-k indexer (dsa_indexer.h) where they lie, and their sizes.
struct IndexerInputs {
  const std::uint8_t* q = nullptr;
  const std::uint8_t* cache = nullptr;
  const float* weights = nullptr;
  const std::int32_t* seq_lens = nullptr;
  const std::int32_t* block_table = nullptr;
  std::size_t rows = 0;
  std::size_t heads = 0;
  std::size_t head_dim = 0;
  std::size_t pages = 0;
  std::size_t page_size = 0;
  std::size_t slots = 0;
};

// One row's tokens and scores. Refers to the inputs. One thread.
class IndexerRow {
 public:
  IndexerRow(const IndexerInputs& inputs, std::size_t row);

  // How many tokens of the row have this index.
  [[nodiscard]] std::size_t tokens_at(std::int32_t index) const;

  // The score of a token by its index, which must be one of the row's.
  [[nodiscard]] float score(std::int32_t index);

 private:
  const IndexerInputs& inputs_;
  const float* weights_;
  std::vector<float> q_;                                                // [head_dim][heads]
  std::vector<float> k_;                                                // one token
  std::vector<float> dots_;                                             // one a head
  std::unordered_map<std::int64_t, std::vector<std::size_t>> lengths_;  // page -> of each slot: tokens in it
};

}  // namespace fib::eval
