#pragma once

#include "kernels/ops/walk.cuh"

// Moves equal parts (rows, say) between a packed tensor and their places in another. View 0 is one part of
// the packed side, view 1 one part of the scattered side; both have the dtype FIB_TYPE0. Parts that write
// must not overlap: the host sees to that.
namespace fib::ops::gpu {

struct Moved {
  u64 packed;
  u64 scattered;
  bool skipped;
};

__device__ inline Moved moved(const Walk<2>& part, const PartMove& move, i64 index) {
  const i64 number = index / part.count;
  const i64 place = reinterpret_cast<const i64*>(move.places)[number];
  const i64 item = move.items == 0 ? number : reinterpret_cast<const i64*>(move.items)[number];
  const auto places = places_of(part, index - number * part.count);
  const i64 packed = item * move.step + places.at[0];
  const i64 scattered = place + places.at[1];
  return {part.view[0].data + (static_cast<u64>(packed) << shift_of(FIB_TYPE0)),
          part.view[1].data + (static_cast<u64>(scattered) << shift_of(FIB_TYPE0)), place < 0};
}

#if !defined(FIB_ADDS)

extern "C" __global__ void fib_gather(const Walk<2> part, const PartMove move) {
  for (i64 i = first_index(); i < move.parts * part.count; i += index_step()) {
    const Moved at = moved(part, move, i);
    if (!at.skipped) put<FIB_TYPE0>(at.packed, fetch<FIB_TYPE0>(at.scattered));
  }
}

extern "C" __global__ void fib_scatter(const Walk<2> part, const PartMove move) {
  for (i64 i = first_index(); i < move.parts * part.count; i += index_step()) {
    const Moved at = moved(part, move, i);
    if (!at.skipped) put<FIB_TYPE0>(at.scattered, fetch<FIB_TYPE0>(at.packed));
  }
}

#else

__device__ inline float sum_of(float a, float b) { return a + b; }
__device__ inline double sum_of(double a, double b) { return a + b; }
__device__ inline i64 sum_of(i64 a, i64 b) {
  return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b));
}

// target += part, computed as FIB_REAL and rounded once.
extern "C" __global__ void fib_scatter_add(const Walk<2> part, const PartMove move) {
  for (i64 i = first_index(); i < move.parts * part.count; i += index_step()) {
    const Moved at = moved(part, move, i);
    if (at.skipped) continue;
    const FIB_REAL before = Decode<FIB_REAL>::element(FIB_TYPE0, fetch<FIB_TYPE0>(at.scattered));
    const FIB_REAL addend = Decode<FIB_REAL>::element(FIB_TYPE0, fetch<FIB_TYPE0>(at.packed));
    put<FIB_TYPE0>(at.scattered, Encode<FIB_REAL>::element(FIB_TYPE0, sum_of(before, addend)));
  }
}

#endif

}  // namespace fib::ops::gpu
