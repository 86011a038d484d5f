#pragma once

// Read before kernels/ when these are compiled for the host: what nvcc and NVRTC know by
// themselves. Every thread of a block is a fiber, which goes on until it ends or waits for the others.
#include <cmath>
#include <cstring>

#define FIB_EMULATED_EXPORT __attribute__((visibility("default")))

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
#define __launch_bounds__(...)

struct EmulatedIndex {
  unsigned x, y, z;
};
// Set by the one that runs the fibers (tests/emulation/driver.cpp).
inline EmulatedIndex threadIdx;
inline EmulatedIndex blockIdx;
inline EmulatedIndex blockDim;
inline EmulatedIndex gridDim;
inline void (*fib_emulated_wait)();
extern "C" {
FIB_EMULATED_EXPORT void fib_emulated_prepare(const unsigned* block, const unsigned* grid, unsigned threads,
                                              void (*wait)()) {
  blockIdx = {block[0], block[1], block[2]};
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {threads, 1, 1};
  fib_emulated_wait = wait;
}
FIB_EMULATED_EXPORT void fib_emulated_enter(unsigned thread) { threadIdx = {thread, 0, 0}; }
}

inline void __syncthreads() { fib_emulated_wait(); }

// All threads of a block call it together, so that the block's barrier serves as the warp's.
template <typename Value>
Value __shfl_down_sync(unsigned, Value value, int offset) {
  static Value values[1024];
  values[threadIdx.x] = value;
  __syncthreads();
  const unsigned other = threadIdx.x + static_cast<unsigned>(offset);
  const Value result = other / 32 == threadIdx.x / 32 ? values[other] : value;
  __syncthreads();
  return result;
}

// One thread runs at a time.
template <typename Value>
Value atomicAdd(Value* at, Value value) {
  const Value before = *at;
  *at = before + value;
  return before;
}
template <typename Value>
Value atomicMax(Value* at, Value value) {
  const Value before = *at;
  if (before < value) *at = value;
  return before;
}
template <typename Value>
Value atomicMin(Value* at, Value value) {
  const Value before = *at;
  if (value < before) *at = value;
  return before;
}
template <typename Value>
Value atomicOr(Value* at, Value value) {
  const Value before = *at;
  *at = before | value;
  return before;
}

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline uint4 __ldcg(const uint4* from) { return *from; }
inline void __stcg(uint4* to, uint4 value) { *to = value; }

template <typename Value>
Value max(Value a, Value b) {
  return a < b ? b : a;
}
template <typename Value>
Value min(Value a, Value b) {
  return b < a ? b : a;
}

// Rounded down: the product's error is exact in one fused operation.
inline float __fmul_rd(float a, float b) {
  const float product = a * b;
  return std::fma(a, b, -product) < 0 ? std::nextafter(product, -INFINITY) : product;
}
inline double __dmul_rd(double a, double b) {
  const double product = a * b;
  return std::fma(a, b, -product) < 0 ? std::nextafter(product, -static_cast<double>(INFINITY)) : product;
}
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

// Calls a kernel with arguments as cuLaunchKernel gets them.
template <int... i>
struct EmulatedIndices {};
template <int n, int... i>
struct MakeEmulatedIndices : MakeEmulatedIndices<n - 1, n - 1, i...> {};
template <int... i>
struct MakeEmulatedIndices<0, i...> {
  using Type = EmulatedIndices<i...>;
};
template <typename Argument>
struct EmulatedPlain {
  using Type = Argument;
};
template <typename Argument>
struct EmulatedPlain<const Argument> {
  using Type = Argument;
};
template <typename... Arguments, int... i>
void emulated_call_by(void (*kernel)(Arguments...), void** arguments, EmulatedIndices<i...>) {
  kernel(*static_cast<typename EmulatedPlain<Arguments>::Type*>(arguments[i])...);
}
template <typename... Arguments>
void emulated_call(void (*kernel)(Arguments...), void** arguments) {
  emulated_call_by(kernel, arguments, typename MakeEmulatedIndices<sizeof...(Arguments)>::Type{});
}
