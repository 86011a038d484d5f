#pragma once

#include <cuda_runtime.h>

// Shuffles and votes of a warp.
template <typename T>
__device__ __forceinline__ T WARP_SHFL(T value, int lane, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
template <typename T>
__device__ __forceinline__ T WARP_SHFL_XOR(T value, int lanes, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <typename T>
__device__ __forceinline__ T WARP_SHFL_UP(T value, unsigned by, int width = warpSize, unsigned mask = 0xffffffff) {
  return __shfl_up_sync(mask, value, by, width);
}
template <typename T>
__device__ __forceinline__ T WARP_SHFL_DOWN(T value, unsigned by, int width = warpSize,
                                            unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, by, width);
}
__device__ __forceinline__ unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) {
  return __ballot_sync(mask, predicate);
}
__device__ __forceinline__ unsigned ACTIVE_MASK() { return __activemask(); }
