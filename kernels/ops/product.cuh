#pragma once

#include "ops/gpu/arguments.h"

// What both matrix products share: which tile and which part of the sum a block has.
namespace fib::ops::gpu {

struct Share {
  i64 batch;
  i64 split;
  i64 row;  // first of the tile
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

}  // namespace fib::ops::gpu
