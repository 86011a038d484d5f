#pragma once

#include "kernels/ops/walk.cuh"

namespace fib::ops::gpu {

// A matrix product from the parts of its sums, added in order as FIB_REAL. `c` is packed, of the dtype
// FIB_TYPE0.
extern "C" __global__ void fib_join(const Product p, const View c) {
  const i64 count = p.batches * p.m * p.n;
  const FIB_REAL* parts = reinterpret_cast<const FIB_REAL*>(p.workspace);
  for (i64 i = first_index(); i < count; i += index_step()) {
    FIB_REAL sum = parts[i];
    for (i64 split = 1; split < p.splits; ++split) sum += parts[split * count + i];
    store<FIB_REAL, FIB_TYPE0>(c, i, sum);
  }
}

}  // namespace fib::ops::gpu
