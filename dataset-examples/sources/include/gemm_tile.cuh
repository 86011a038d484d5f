// C = A B^T in float16 with float32 sums, for few rows: the depth is shared by the warps of a block.
#pragma once

#include "float16.cuh"

struct Fragment {
  uint4 row0, row8, column;  // eight values each: rows g and g + 8 of A, row g of B
};

// Two multiplications of 16 x 16 by 16 x 8. A thread's eight neighbouring values stand for k = 2t, 2t + 1, 2t + 8,
// 2t + 9 of the first and of the second: a permutation of k, the same in A and B, leaves the product as it is.
__device__ __forceinline__ void multiply(float (&sum)[4], const Fragment& f) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(f.row0.x), "r"(f.row8.x), "r"(f.row0.y), "r"(f.row8.y), "r"(f.column.x), "r"(f.column.y));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(f.row0.z), "r"(f.row8.z), "r"(f.row0.w), "r"(f.row8.w), "r"(f.column.z), "r"(f.column.w));
}

// Grid: kColumns / 8 by ceil(rows / 16); 256 threads. Row-major A [rows, kDepth], B [kColumns, kDepth], C.
template <int kColumns, int kDepth>
__global__ void __launch_bounds__(256) gemm(const f16* a, const f16* b, f16* c, int rows) {
  constexpr int kWarps = 8;
  constexpr int kSteps = kDepth / kWarps / 32;
  const int warp = threadIdx.x / 32;
  const int g = threadIdx.x % 32 / 4;
  const int t = threadIdx.x % 4;
  const int row = blockIdx.y * 16 + g;
  const int column = blockIdx.x * 8 + g;
  const long long k = warp * (kDepth / kWarps) + 8 * t;
  const auto load = [](const f16* from) { return *reinterpret_cast<const uint4*>(from); };
  const uint4 zero = make_uint4(0, 0, 0, 0);
  Fragment fragments[kSteps];
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const long long at = k + 32 * step;
    fragments[step].column = load(b + static_cast<long long>(column) * kDepth + at);
    fragments[step].row0 = row < rows ? load(a + static_cast<long long>(row) * kDepth + at) : zero;
    fragments[step].row8 = row + 8 < rows ? load(a + static_cast<long long>(row + 8) * kDepth + at) : zero;
  }
  float sum[4] = {0, 0, 0, 0};
#pragma unroll
  for (int step = 0; step < kSteps; ++step) multiply(sum, fragments[step]);

  __shared__ float partial[kWarps][16][8];
  partial[warp][g][2 * t] = sum[0];
  partial[warp][g][2 * t + 1] = sum[1];
  partial[warp][g + 8][2 * t] = sum[2];
  partial[warp][g + 8][2 * t + 1] = sum[3];
  __syncthreads();
  if (threadIdx.x >= 128) return;
  const int tile_row = threadIdx.x / 8;
  const int tile_column = threadIdx.x % 8;
  float total = 0;
  for (int w = 0; w < kWarps; ++w) total += partial[w][tile_row][tile_column];
  const int output_row = blockIdx.y * 16 + tile_row;
  if (output_row < rows) c[static_cast<long long>(output_row) * kColumns + blockIdx.x * 8 + tile_column] = to_f16(total);
}
