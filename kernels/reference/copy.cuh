#pragma once

#include "kernels/reference/walk.cuh"

// Copies with and without conversion, and the choice between two tensors. View 0 is the result.
namespace fib::reference::gpu {

// Both of one dtype: bits are moved as they are.
extern "C" __global__ void fib_copy(const Walk<2> walk) {
  for (i64 i = first_index(); i < walk.count; i += index_step()) {
    const auto places = places_of(walk, i);
    const View& target = walk.view[0];
    put(target.data + (static_cast<u64>(places.at[0]) << target.shift), target.shift,
        bits_at(walk.view[1], places.at[1]));
  }
}

// Through the type to compute in, as lib/reference/elementwise.cpp's copy_into does.
template <typename Real>
__device__ inline void convert(const Walk<2>& walk) {
  for (i64 i = first_index(); i < walk.count; i += index_step()) {
    const auto places = places_of(walk, i);
    store<Real>(walk.view[0], places.at[0], load<Real>(walk.view[1], places.at[1]));
  }
}

extern "C" __global__ void fib_convert_float(const Walk<2> walk) { convert<float>(walk); }
extern "C" __global__ void fib_convert_double(const Walk<2> walk) { convert<double>(walk); }
extern "C" __global__ void fib_convert_i64(const Walk<2> walk) { convert<i64>(walk); }

// condition ? a : b, where a and b become the result's dtype.
template <typename Real>
__device__ inline void where(const Walk<4>& walk) {
  for (i64 i = first_index(); i < walk.count; i += index_step()) {
    const auto places = places_of(walk, i);
    const bool choice = bits_at(walk.view[1], places.at[1]) != 0;
    const Real value = choice ? load<Real>(walk.view[2], places.at[2]) : load<Real>(walk.view[3], places.at[3]);
    store<Real>(walk.view[0], places.at[0], value);
  }
}

extern "C" __global__ void fib_where_float(const Walk<4> walk) { where<float>(walk); }
extern "C" __global__ void fib_where_double(const Walk<4> walk) { where<double>(walk); }
extern "C" __global__ void fib_where_i64(const Walk<4> walk) { where<i64>(walk); }

// start, start + step, ... in the result's dtype.
extern "C" __global__ void fib_count_up(const View target, i64 count, i64 start, i64 step) {
  for (i64 i = first_index(); i < count; i += index_step()) store<i64>(target, i, start + i * step);
}

}  // namespace fib::reference::gpu
