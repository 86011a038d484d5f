#pragma once

#include <cstddef>

#include "tensor/portable.h"

namespace fib::tensor {

// Random streams are drawn in batches of this many blocks: enough for full vectors, little enough to stay in
// the first level cache.
inline constexpr std::size_t kBatchBlocks = 256;

// A batch of blocks (see tensor/random.h), each as two halves: word 1 : word 0, and word 3 : word 2.
struct BlockBatch {
  alignas(64) u64 lower[kBatchBlocks];
  alignas(64) u64 upper[kBatchBlocks];
};

// Blocks number `batch * kBatchBlocks` and on of the stream of `key`.
void draw_blocks(u64 key, u64 batch, BlockBatch& blocks);

}  // namespace fib::tensor
