#pragma once

#include "kernels/reference/walk.cuh"

// What both matrix products share: which tile and which part of the sum a block has, and joining the parts.
namespace fib::reference::gpu {

struct Share {
  i64 batch;
  i64 split;
  i64 row;      // first of the tile
  i64 column;
  i64 k_begin;
  i64 k_end;
};

// Blocks: x along the rows of C, y along its columns, z batches and splits.
__device__ inline Share share_of(const Product& p, int tile_rows, int tile_columns) {
  Share share;
  share.batch = blockIdx.z / p.splits;
  share.split = blockIdx.z - share.batch * p.splits;
  share.row = static_cast<i64>(blockIdx.x) * tile_rows;
  share.column = static_cast<i64>(blockIdx.y) * tile_columns;
  share.k_begin = share.split * p.split_length;
  share.k_end = share.k_begin + p.split_length < p.k ? share.k_begin + p.split_length : p.k;
  return share;
}

// C from the parts of its sums, added in order. `c` is packed.
template <typename Real>
__device__ inline void join_splits(const Product& p, const View& c) {
  const i64 count = p.batches * p.m * p.n;
  const Real* parts = reinterpret_cast<const Real*>(p.workspace);
  for (i64 i = first_index(); i < count; i += index_step()) {
    Real sum = parts[i];
    for (i64 split = 1; split < p.splits; ++split) sum += parts[split * count + i];
    store<Real>(c, i, sum);
  }
}

extern "C" __global__ void fib_join_float(const Product p, const View c) { join_splits<float>(p, c); }
extern "C" __global__ void fib_join_double(const Product p, const View c) { join_splits<double>(p, c); }

}  // namespace fib::reference::gpu
