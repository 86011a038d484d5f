#pragma once

#include "kernels/ops/product.cuh"

// Matrix products of float and double in full precision, by fused multiply-adds of FIB_REAL. A block of 256
// threads makes a tile of FIB_TILE_M x FIB_TILE_N, each thread FIB_TILE_M / 16 x FIB_TILE_N / 16 of it.
namespace fib::ops::gpu {

using Real = FIB_REAL;

constexpr int kTileM = FIB_TILE_M;
constexpr int kTileN = FIB_TILE_N;
constexpr int kTileK = 16;
constexpr int kSide = 16;  // threads along each side of the tile
constexpr int kPerM = kTileM / kSide;
constexpr int kPerN = kTileN / kSide;
constexpr int kWhole =
    16 / static_cast<int>(sizeof(Real));  // elements that one load from shared memory brings
constexpr int kVectorM = kPerM < kWhole ? kPerM : kWhole;
constexpr int kVectorN = kPerN < kWhole ? kPerN : kWhole;
constexpr int kPad = kWhole;  // between rows of a tile, against bank conflicts

__device__ inline float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }

// Element number i of a thread along one side: vectors of neighbours, a vector of every thread before the
// next.
template <int kVector>
__device__ inline int side_index(int thread, int i) {
  return i / kVector * (kSide * kVector) + thread * kVector + i % kVector;
}

// One operand's tile, with k as its slow index in shared memory.
template <int kLines>
struct Tile {
  static constexpr int kPitch = kLines + kPad;
  static constexpr int kEach = kLines * kTileK / 256;  // elements that a thread brings
  static_assert(kLines * kTileK % 256 == 0, "all threads bring equally many");

  Real held[kEach];

  // Neighbouring threads read along the dimension in which elements lie side by side.
  __device__ static void position(int number, bool by_k, int& line, int& k) {
    const int at = number * 256 + static_cast<int>(threadIdx.x);
    line = by_k ? at / kTileK : at % kLines;
    k = by_k ? at % kTileK : at / kLines;
  }

  __device__ void read(const Real* data, i64 line_stride, i64 k_stride, i64 lines, i64 depth) {
    const bool by_k = k_stride == 1;
    for (int i = 0; i < kEach; ++i) {
      int line;
      int k;
      position(i, by_k, line, k);
      held[i] = line < lines && k < depth ? data[line * line_stride + k * k_stride] : Real{0};
    }
  }

  __device__ void keep(Real* shared, i64 k_stride) const {
    for (int i = 0; i < kEach; ++i) {
      int line;
      int k;
      position(i, k_stride == 1, line, k);
      shared[k * kPitch + line] = held[i];
    }
  }
};

using TileA = Tile<kTileM>;
using TileB = Tile<kTileN>;

struct alignas(sizeof(Real) * kVectorM) VectorM {
  Real at[kVectorM];
};
struct alignas(sizeof(Real) * kVectorN) VectorN {
  Real at[kVectorN];
};

struct Sums {
  Real at[kPerM][kPerN];

  __device__ void add(const Real* a, const Real* b, int thread_m, int thread_n) {
#pragma unroll 2
    for (int k = 0; k < kTileK; ++k) {
      Real x[kPerM];
      Real y[kPerN];
#pragma unroll
      for (int i = 0; i < kPerM; i += kVectorM) {
        const auto v =
            *reinterpret_cast<const VectorM*>(a + k * TileA::kPitch + side_index<kVectorM>(thread_m, i));
#pragma unroll
        for (int e = 0; e < kVectorM; ++e) x[i + e] = v.at[e];
      }
#pragma unroll
      for (int j = 0; j < kPerN; j += kVectorN) {
        const auto v =
            *reinterpret_cast<const VectorN*>(b + k * TileB::kPitch + side_index<kVectorN>(thread_n, j));
#pragma unroll
        for (int e = 0; e < kVectorN; ++e) y[j + e] = v.at[e];
      }
#pragma unroll
      for (int i = 0; i < kPerM; ++i) {
#pragma unroll
        for (int j = 0; j < kPerN; ++j) at[i][j] = multiply_add(x[i], y[j], at[i][j]);
      }
    }
  }
};

__device__ inline void write_sums(const Product& p, const Share& share, const Sums& sums, int thread_m,
                                  int thread_n) {
  const bool whole = p.workspace == 0;
  Real* to = whole
                 ? reinterpret_cast<Real*>(p.c) + share.batch * p.c_batch
                 : reinterpret_cast<Real*>(p.workspace) + (share.split * p.batches + share.batch) * p.m * p.n;
  const i64 pitch = whole ? p.c_row : p.n;
#pragma unroll
  for (int i = 0; i < kPerM; ++i) {
    const i64 row = share.row + side_index<kVectorM>(thread_m, i);
#pragma unroll
    for (int j = 0; j < kPerN; ++j) {
      const i64 column = share.column + side_index<kVectorN>(thread_n, j);
      if (row < p.m && column < p.n) to[row * pitch + column] = sums.at[i][j];
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 2) fib_multiply(const Product p) {
  alignas(16) __shared__ Real shared_a[kTileK * TileA::kPitch];
  alignas(16) __shared__ Real shared_b[kTileK * TileB::kPitch];
  const int thread_m = static_cast<int>(threadIdx.x) / kSide;
  const int thread_n = static_cast<int>(threadIdx.x) % kSide;
  const Share share = share_of(p, kTileM, kTileN);
  const Real* a = reinterpret_cast<const Real*>(p.a) + share.batch * p.a_batch + share.row * p.a_row;
  const Real* b = reinterpret_cast<const Real*>(p.b) + share.batch * p.b_batch + share.column * p.b_column;
  const i64 rows = p.m - share.row;
  const i64 columns = p.n - share.column;

  Sums sums = {};
  TileA tile_a;
  TileB tile_b;
  tile_a.read(a + share.k_begin * p.a_column, p.a_row, p.a_column, rows, share.k_end - share.k_begin);
  tile_b.read(b + share.k_begin * p.b_row, p.b_column, p.b_row, columns, share.k_end - share.k_begin);
  for (i64 k = share.k_begin; k < share.k_end; k += kTileK) {
    tile_a.keep(shared_a, p.a_column);
    tile_b.keep(shared_b, p.b_row);
    __syncthreads();
    // The next tiles travel while these are multiplied.
    const i64 next = k + kTileK;
    if (next < share.k_end) {
      tile_a.read(a + next * p.a_column, p.a_row, p.a_column, rows, share.k_end - next);
      tile_b.read(b + next * p.b_row, p.b_column, p.b_row, columns, share.k_end - next);
    }
    sums.add(shared_a, shared_b, thread_m, thread_n);
    __syncthreads();
  }
  write_sums(p, share, sums, thread_m, thread_n);
}

}  // namespace fib::ops::gpu
