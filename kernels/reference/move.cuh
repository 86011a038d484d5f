#pragma once

#include "kernels/reference/walk.cuh"

// Moves equal parts (rows, say) between a packed tensor and their places in another. View 0 is one part of the packed
// side, view 1 one part of the scattered side. Parts that write must not overlap: the host sees to that.
namespace fib::reference::gpu {

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
  return {part.view[0].data + (static_cast<u64>(packed) << part.view[0].shift),
          part.view[1].data + (static_cast<u64>(scattered) << part.view[1].shift), place < 0};
}

extern "C" __global__ void fib_gather(const Walk<2> part, const PartMove move) {
  for (i64 i = first_index(); i < move.parts * part.count; i += index_step()) {
    const Moved at = moved(part, move, i);
    if (!at.skipped) put(at.packed, part.view[0].shift, fetch(at.scattered, part.view[1].shift));
  }
}

extern "C" __global__ void fib_scatter(const Walk<2> part, const PartMove move) {
  for (i64 i = first_index(); i < move.parts * part.count; i += index_step()) {
    const Moved at = moved(part, move, i);
    if (!at.skipped) put(at.scattered, part.view[1].shift, fetch(at.packed, part.view[0].shift));
  }
}

__device__ inline float sum_of(float a, float b) { return a + b; }
__device__ inline double sum_of(double a, double b) { return a + b; }
__device__ inline i64 sum_of(i64 a, i64 b) { return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b)); }

// target += part, rounded once to the dtype of both.
template <typename Real>
__device__ inline void scatter_add(const Walk<2>& part, const PartMove& move) {
  const i32 type = part.view[1].type;
  const i32 shift = part.view[1].shift;
  for (i64 i = first_index(); i < move.parts * part.count; i += index_step()) {
    const Moved at = moved(part, move, i);
    if (at.skipped) continue;
    const Real before = Decode<Real>::element(type, fetch(at.scattered, shift));
    const Real addend = Decode<Real>::element(type, fetch(at.packed, shift));
    put(at.scattered, shift, Encode<Real>::element(type, sum_of(before, addend)));
  }
}

extern "C" __global__ void fib_scatter_add_float(const Walk<2> part, const PartMove move) {
  scatter_add<float>(part, move);
}
extern "C" __global__ void fib_scatter_add_double(const Walk<2> part, const PartMove move) {
  scatter_add<double>(part, move);
}
extern "C" __global__ void fib_scatter_add_i64(const Walk<2> part, const PartMove move) { scatter_add<i64>(part, move); }

}  // namespace fib::reference::gpu
