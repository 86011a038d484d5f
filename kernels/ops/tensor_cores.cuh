#pragma once

#include "kernels/ops/product.cuh"
#include "kernels/ops/warp.cuh"
#include "tensor/small_floats.h"

// Matrix products of bfloat16 and float16 on tensor cores, summed in float32 and rounded once. A block of
// eight warps makes a tile of 128 x 128, each warp 64 x 32 of it by mma.m16n8k16; four stages of tiles are on
// their way by cp.async.
//
// FIB_BFLOAT16 is 1 or 0 (float16). FIB_A_BY_K: elements of A lie side by side along k, else along m.
// FIB_B_BY_K likewise, else along n. FIB_ALIGNED: every row begins at a multiple of 16 bytes.
namespace fib::ops::gpu {

constexpr int kTile = 128;  // of m and n
constexpr int kTileK = 32;
constexpr int kStages = 4;
constexpr int kChunk = 8;  // elements of 16 bytes
constexpr int kPitchByK =
    kTileK + kChunk;  // of a tile with k as its fast index; the rest is against bank conflicts
constexpr int kPitchByLine = kTile + kChunk;
constexpr int kOperandElements = kTile * kPitchByK;  // the larger of both forms
constexpr int kStageElements = 2 * kOperandElements;

// A tile of one operand in shared memory: kByK has a line (row of A, column of B) for every index of m or n
// and k along it; else the other way round.
template <bool kByK>
struct Operand {
  static constexpr int kPitch = kByK ? kPitchByK : kPitchByLine;
  static constexpr int kLines = kByK ? kTile : kTileK;
  static constexpr int kChunksALine = (kByK ? kTileK : kTile) / kChunk;

  // `lines` and `length` say how much of the tile exists; the rest becomes 0.
  __device__ static void bring(Half* tile, const Half* from, i64 pitch, i64 lines, i64 length) {
#pragma unroll
    for (int i = 0; i < kLines * kChunksALine / 256; ++i) {
      const int number = i * 256 + static_cast<int>(threadIdx.x);
      const int line = number / kChunksALine;
      const int at = number % kChunksALine * kChunk;
      const i64 left = line < lines ? length - at : 0;
      const int exist = left <= 0 ? 0 : left < kChunk ? static_cast<int>(left) : kChunk;
      const Half* source = exist > 0 ? from + line * pitch + at : from;
      Half* target = tile + line * kPitch + at;
#if FIB_ALIGNED
      copy_chunk(target, source, exist * 2);
#else
      for (int e = 0; e < kChunk; ++e) target[e] = e < exist ? source[e] : static_cast<Half>(0);
#endif
    }
  }
};

using OperandA = Operand<FIB_A_BY_K != 0>;
using OperandB = Operand<FIB_B_BY_K != 0>;

// 16 x 16 of A from (m, k) on.
__device__ inline void load_a(u32 (&to)[4], const Half* tile, int m, int k) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#if FIB_A_BY_K
  load_matrices<false>(to, tile + (m + lane % 16) * kPitchByK + k + lane / 16 * 8);
#else
  load_matrices<true>(to, tile + (k + lane / 16 * 8 + lane % 8) * kPitchByLine + m + lane / 8 % 2 * 8);
#endif
}

// 16 x 16 of B from (k, n) on: to[0], to[1] are the first eight columns, to[2], to[3] the others.
__device__ inline void load_b(u32 (&to)[4], const Half* tile, int n, int k) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#if FIB_B_BY_K
  load_matrices<false>(to, tile + (n + lane / 16 * 8 + lane % 8) * kPitchByK + k + lane / 8 % 2 * 8);
#else
  load_matrices<true>(to, tile + (k + lane / 8 % 2 * 8 + lane % 8) * kPitchByLine + n + lane / 16 * 8);
#endif
}

struct Sums {
  float at[4][4][4];

  __device__ void add(const Half* stage, int warp_m, int warp_n) {
#pragma unroll
    for (int k = 0; k < kTileK; k += 16) {
      u32 a[4][4];
      u32 b[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i) load_a(a[i], stage, warp_m + 16 * i, k);
#pragma unroll
      for (int j = 0; j < 2; ++j) load_b(b[j], stage + kOperandElements, warp_n + 16 * j, k);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          multiply_add<FIB_BFLOAT16 != 0>(at[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
};

__device__ __noinline__ void write_one(const Product& p, const Share& share, i64 row, i64 column, float sum) {
  if (row >= p.m || column >= p.n) return;
  if (p.workspace != 0) {
    float* parts = reinterpret_cast<float*>(p.workspace);
    parts[((share.split * p.batches + share.batch) * p.m + row) * p.n + column] = sum;
    return;
  }
#if FIB_BFLOAT16
  const u32 bits = tensor::BFloat16Bits::encode(sum);
#else
  const u32 bits = tensor::Float16Bits::encode(sum);
#endif
  reinterpret_cast<Half*>(p.c)[share.batch * p.c_batch + row * p.c_row + column] = static_cast<Half>(bits);
}

extern "C" __global__ void __launch_bounds__(256, 2) fib_multiply(const Product p) {
  Half* stages = dynamic_shared();
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_m = warp / 4 * 64;
  const int warp_n = warp % 4 * 32;
  const Share share = share_of(p, kTile, kTile);
  const Half* a = reinterpret_cast<const Half*>(p.a) + share.batch * p.a_batch + share.row * p.a_row;
  const Half* b = reinterpret_cast<const Half*>(p.b) + share.batch * p.b_batch + share.column * p.b_column;
  const i64 tiles = (share.k_end - share.k_begin + kTileK - 1) / kTileK;

  const auto bring = [&](i64 tile) {
    if (tile < tiles) {
      Half* stage = stages + tile % kStages * kStageElements;
      const i64 k = share.k_begin + tile * kTileK;
      const i64 depth = share.k_end - k;
#if FIB_A_BY_K
      OperandA::bring(stage, a + k, p.a_row, p.m - share.row, depth);
#else
      OperandA::bring(stage, a + k * p.a_column, p.a_column, depth, p.m - share.row);
#endif
#if FIB_B_BY_K
      OperandB::bring(stage + kOperandElements, b + k, p.b_column, p.n - share.column, depth);
#else
      OperandB::bring(stage + kOperandElements, b + k * p.b_row, p.b_row, depth, p.n - share.column);
#endif
    }
    close_stage();  // also when it is empty: wait_for_stages() counts them
  };

  Sums sums = {};
  for (i64 tile = 0; tile < kStages - 1; ++tile) bring(tile);
  for (i64 tile = 0; tile < tiles; ++tile) {
    wait_for_stages<kStages - 2>();
    __syncthreads();
    // Into the stage that everybody has left before the barrier.
    bring(tile + kStages - 1);
    sums.add(stages + tile % kStages * kStageElements, warp_m, warp_n);
  }

  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const i64 row = share.row + warp_m + 16 * i + lane / 4;
      const i64 column = share.column + warp_n + 8 * j + lane % 4 * 2;
      write_one(p, share, row, column, sums.at[i][j][0]);
      write_one(p, share, row, column + 1, sums.at[i][j][1]);
      write_one(p, share, row + 8, column, sums.at[i][j][2]);
      write_one(p, share, row + 8, column + 1, sums.at[i][j][3]);
    }
  }
}

}  // namespace fib::ops::gpu
