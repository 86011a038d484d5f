#pragma once

#include "kernels/ops/element.cuh"

// Where element number i of a walk lies in each of its tensors.
namespace fib::ops::gpu {

__device__ inline i64 first_index() { return static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline i64 index_step() { return static_cast<i64>(gridDim.x) * blockDim.x; }

template <int kViews>
struct Places {
  i64 at[kViews];
};

// FIB_INDEX is u32 or u64: 32-bit division is several times faster, and enough for nearly all tensors.
template <int kViews>
__device__ inline Places<kViews> places_of(const Walk<kViews>& walk, i64 index) {
  Places<kViews> places;
  for (int v = 0; v < kViews; ++v) places.at[v] = 0;
  FIB_INDEX rest = static_cast<FIB_INDEX>(index);
  for (int dim = static_cast<int>(walk.rank) - 1; dim >= 0; --dim) {
    const FIB_INDEX size = static_cast<FIB_INDEX>(walk.shape[dim]);
    const FIB_INDEX above = dim == 0 ? 0 : rest / size;
    const i64 position = static_cast<i64>(rest - above * size);
    for (int v = 0; v < kViews; ++v) places.at[v] += position * walk.view[v].strides[dim];
    rest = above;
  }
  return places;
}

}  // namespace fib::ops::gpu
