#pragma once

#include "ops/gpu/arguments.h"
#include "tensor/small_floats.h"

// Stands in for kernels/ops/warp.cuh: the same functions, by the fragments that PTX ISA documents. All
// threads of a block call them together, so that the block's barrier serves as the warp's.
namespace fib::ops::gpu {

using Half = unsigned short;

inline Half* dynamic_shared() {
  alignas(16) static Half memory[128 * 1024];
  return memory;
}

inline void copy_chunk(Half* to, const Half* from, int bytes) {
  std::memset(to, 0, 16);
  std::memcpy(to, from, static_cast<unsigned>(bytes));
}
inline void close_stage() {}
template <int kOpen>
void wait_for_stages() {}

template <bool kTransposed>
void load_matrices(u32 (&to)[4], const Half* row) {
  static const Half* rows[1024];
  rows[threadIdx.x] = row;
  __syncthreads();
  const unsigned warp = threadIdx.x / 32 * 32;
  const unsigned lane = threadIdx.x % 32;
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    const Half** first = rows + warp + matrix * 8;
    const unsigned line = lane / 4;
    const unsigned at = lane % 4 * 2;
    const u32 low = kTransposed ? first[at][line] : first[line][at];
    const u32 high = kTransposed ? first[at + 1][line] : first[line][at + 1];
    to[matrix] = low | high << 16;
  }
  __syncthreads();
}

template <bool kBFloat16>
float half_value(u32 bits) {
  return kBFloat16 ? tensor::BFloat16Bits::decode(bits & 0xffffU)
                   : tensor::Float16Bits::decode(bits & 0xffffU);
}

template <bool kBFloat16>
void multiply_add(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  static u32 left[1024][4];
  static u32 right[1024][2];
  std::memcpy(left[threadIdx.x], a, sizeof a);
  right[threadIdx.x][0] = b0;
  right[threadIdx.x][1] = b1;
  __syncthreads();
  const unsigned warp = threadIdx.x / 32 * 32;
  const unsigned lane = threadIdx.x % 32;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = lane / 4;  // of the upper or lower half
    const unsigned column = lane % 4 * 2 + i % 2;
    float sum = c[i];
    for (unsigned k = 0; k < 16; ++k) {
      const u32 x = left[warp + row * 4 + k % 8 / 2][i / 2 + k / 8 * 2];
      const u32 y = right[warp + column * 4 + k % 8 / 2][k / 8];
      sum +=
          half_value<kBFloat16>(k % 2 == 0 ? x : x >> 16) * half_value<kBFloat16>(k % 2 == 0 ? y : y >> 16);
    }
    c[i] = sum;
  }
  __syncthreads();
}

}  // namespace fib::ops::gpu
