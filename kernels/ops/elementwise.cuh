#pragma once

#include "kernels/ops/math.cuh"
#include "kernels/ops/walk.cuh"

// Operations on elements. FIB_OPERATION names one of math.cuh, FIB_REAL the type it computes in: float,
// double or i64. View 0 is the result.
namespace fib::ops::gpu {

using Real = FIB_REAL;

#if defined(FIB_UNARY_KERNEL)

extern "C" __global__ void fib_unary(const Walk<2> walk) {
  for (i64 i = first_index(); i < walk.count; i += index_step()) {
    const auto places = places_of(walk, i);
    const Real x = load<Real, FIB_TYPE1>(walk.view[1], places.at[1]);
    store<Real, FIB_TYPE0>(walk.view[0], places.at[0], operations::FIB_OPERATION::of(x));
  }
}

#else

extern "C" __global__ void fib_binary(const Walk<3> walk) {
  for (i64 i = first_index(); i < walk.count; i += index_step()) {
    const auto places = places_of(walk, i);
    const Real a = load<Real, FIB_TYPE1>(walk.view[1], places.at[1]);
    const Real b = load<Real, FIB_TYPE2>(walk.view[2], places.at[2]);
    store<Real, FIB_TYPE0>(walk.view[0], places.at[0], operations::FIB_OPERATION::of(a, b));
  }
}

#endif

}  // namespace fib::ops::gpu
