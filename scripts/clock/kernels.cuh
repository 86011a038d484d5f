// Kernels of many shapes that all compute y = 2x + 1: what scripts/bench-clock times with fib and with other clocks.
#pragma once

// A float of dependent arithmetic: `loops` times 4 cycles or so that the compiler cannot drop.
__device__ __forceinline__ float busy(float x, int loops) {
  float t = x;
  for (int i = 0; i < loops; ++i) asm volatile("fma.rn.f32 %0, %0, 0f3F800000, 0f00000000;" : "+f"(t));
  return 2 * t + 1;
}

template <int kLoops>
__global__ void each(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = busy(x[i], kLoops);
}

__global__ void stride(const float* x, float* y, long long n) {
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += gridDim.x * static_cast<long long>(blockDim.x)) {
    y[i] = 2 * x[i] + 1;
  }
}

__global__ void quads(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (4 * i >= n) return;
  const float4 v = reinterpret_cast<const float4*>(x)[i];
  reinterpret_cast<float4*>(y)[i] = make_float4(2 * v.x + 1, 2 * v.y + 1, 2 * v.z + 1, 2 * v.w + 1);
}

// Neighbouring threads are far apart in memory.
__global__ void scattered(const float* x, float* y, long long n) {
  const long long t = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  const long long columns = 1024;
  const long long i = t % (n / columns) * columns + t / (n / columns);
  if (t < n) y[i] = 2 * x[i] + 1;
}

// Three dependent steps.
__global__ void twice(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
__global__ void plus_half(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] + 0.5f;
}
