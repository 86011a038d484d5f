#pragma once

#include "kernels/ops/walk.cuh"

// Copies with and without conversion, and the choice between two tensors. View 0 is the result.
namespace fib::ops::gpu {

#if defined(FIB_SAME_TYPE)

// Bits are moved as they are.
extern "C" __global__ void fib_copy(const Walk<2> walk) {
  for (i64 i = first_index(); i < walk.count; i += index_step()) {
    const auto places = places_of(walk, i);
    put<FIB_TYPE0>(address_of<FIB_TYPE0>(walk.view[0], places.at[0]),
                   bits_at<FIB_TYPE0>(walk.view[1], places.at[1]));
  }
}

#elif defined(FIB_CHOICE)

// condition ? a : b, where a and b become the result's dtype.
extern "C" __global__ void fib_where(const Walk<4> walk) {
  for (i64 i = first_index(); i < walk.count; i += index_step()) {
    const auto places = places_of(walk, i);
    const bool choice = bits_at<FIB_TYPE1>(walk.view[1], places.at[1]) != 0;
    const FIB_REAL value = choice ? load<FIB_REAL, FIB_TYPE2>(walk.view[2], places.at[2])
                                  : load<FIB_REAL, FIB_TYPE3>(walk.view[3], places.at[3]);
    store<FIB_REAL, FIB_TYPE0>(walk.view[0], places.at[0], value);
  }
}

#else

// Through the type to compute in, as lib/ops/elementwise.cpp's copy_into does.
extern "C" __global__ void fib_convert(const Walk<2> walk) {
  for (i64 i = first_index(); i < walk.count; i += index_step()) {
    const auto places = places_of(walk, i);
    store<FIB_REAL, FIB_TYPE0>(walk.view[0], places.at[0],
                               load<FIB_REAL, FIB_TYPE1>(walk.view[1], places.at[1]));
  }
}

#endif

}  // namespace fib::ops::gpu
