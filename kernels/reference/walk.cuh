#pragma once

#include "kernels/reference/element.cuh"

// Where element number i of a walk lies in each of its tensors.
namespace fib::reference::gpu {

__device__ inline i64 first_index() { return static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline i64 index_step() { return static_cast<i64>(gridDim.x) * blockDim.x; }

template <int kViews>
struct Places {
  i64 at[kViews];
};

// 32-bit division is several times faster, and enough for nearly all tensors.
template <typename Index, int kViews>
__device__ inline Places<kViews> places_by(const Walk<kViews>& walk, i64 index) {
  Places<kViews> places;
  for (int v = 0; v < kViews; ++v) places.at[v] = 0;
  Index rest = static_cast<Index>(index);
  for (int dim = walk.rank - 1; dim >= 0; --dim) {
    const Index size = static_cast<Index>(walk.shape[dim]);
    const Index above = dim == 0 ? 0 : rest / size;
    const i64 position = static_cast<i64>(rest - above * size);
    for (int v = 0; v < kViews; ++v) places.at[v] += position * walk.view[v].strides[dim];
    rest = above;
  }
  return places;
}

template <int kViews>
__device__ inline Places<kViews> places_of(const Walk<kViews>& walk, i64 index) {
  return walk.count <= 0x7fffffffLL ? places_by<u32>(walk, index) : places_by<u64>(walk, index);
}

}  // namespace fib::reference::gpu
