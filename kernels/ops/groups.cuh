#pragma once

#include "kernels/ops/walk.cuh"

// Threads of one block that work on one row: `group` neighbours, 32 or all 256.
namespace fib::ops::gpu {

constexpr int kThreads = 256;

// Joins the states of a group by Join::join in a fixed order; all its threads get the result. To be called by
// the whole block; `shared` has kThreads places.
template <typename Join, typename State>
__device__ State join_group(State mine, State* shared, int group) {
  const int lane = static_cast<int>(threadIdx.x) % group;
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (int distance = group / 2; distance > 0; distance /= 2) {
    if (lane < distance) {
      shared[threadIdx.x] =
          Join::join(shared[threadIdx.x], shared[threadIdx.x + static_cast<unsigned>(distance)]);
    }
    __syncthreads();
  }
  const State result = shared[threadIdx.x - static_cast<unsigned>(lane)];
  __syncthreads();
  return result;
}

template <typename Real>
__device__ inline Real element_of(const Walk<1>& walk, i64 index) {
  return load<Real, FIB_TYPE0>(walk.view[0], places_of(walk, index).at[0]);
}

template <typename Real>
struct Limits;
template <>
struct Limits<i64> {
  __device__ static i64 lowest() { return -0x7fffffffffffffffLL - 1; }
  __device__ static i64 highest() { return 0x7fffffffffffffffLL; }
};
template <>
struct Limits<double> {
  __device__ static double highest() { return tensor::double_of_bits(0x7ff0000000000000ULL); }
  __device__ static double lowest() { return -highest(); }
};
template <>
struct Limits<float> {
  __device__ static float highest() { return tensor::float_of_bits(0x7f800000U); }
  __device__ static float lowest() { return -highest(); }
};

}  // namespace fib::ops::gpu
