#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "fib_torch/small_floats.h"

// Sums in memory by several threads, with torch's types.
template <typename T>
__device__ inline T gpuAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}
template <>
__device__ inline c10::Half gpuAtomicAdd(c10::Half* address, c10::Half value) {
  return atomicAdd(reinterpret_cast<__half*>(address), static_cast<__half>(value));
}
template <>
__device__ inline c10::BFloat16 gpuAtomicAdd(c10::BFloat16* address, c10::BFloat16 value) {
  return atomicAdd(reinterpret_cast<__nv_bfloat16*>(address), static_cast<__nv_bfloat16>(value));
}
template <>
__device__ inline std::int64_t gpuAtomicAdd(std::int64_t* address, std::int64_t value) {
  return static_cast<std::int64_t>(
      atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value)));
}
template <typename T>
__device__ inline void gpuAtomicAddNoReturn(T* address, T value) {
  gpuAtomicAdd(address, value);
}
__device__ inline c10::Half atomicAdd(c10::Half* address, c10::Half value) {
  return gpuAtomicAdd(address, value);
}
__device__ inline c10::BFloat16 atomicAdd(c10::BFloat16* address, c10::BFloat16 value) {
  return gpuAtomicAdd(address, value);
}
