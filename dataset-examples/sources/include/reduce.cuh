// Sums and maxima over a warp and over a block of up to 1024 threads; every thread gets the result.
#pragma once

struct Sum {
  __device__ static float identity() { return 0; }
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Max {
  __device__ static float identity() { return -__int_as_float(0x7f800000); }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <typename Operation>
__device__ __forceinline__ float reduce_warp(float value, Operation operation) {
  for (int offset = 16; offset > 0; offset /= 2) value = operation(value, __shfl_xor_sync(0xffffffffU, value, offset));
  return value;
}

template <typename Operation>
__device__ __forceinline__ float reduce_block(float value, Operation operation) {
  __shared__ float partial[32];
  value = reduce_warp(value, operation);
  __syncthreads();  // `partial` may still be read by an earlier reduction
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  const unsigned warps = (blockDim.x + 31) / 32;
  const unsigned lane = threadIdx.x % 32;
  return reduce_warp(lane < warps ? partial[lane] : Operation::identity(), operation);
}
