#pragma once

#include "kernels/ops/groups.cuh"

// Reductions of rows, by the accumulators of lib/ops/accumulators.h: FIB_REDUCTION names one below,
// FIB_REAL the type to read elements as, FIB_TYPE0 and FIB_TYPE1 the dtypes of rows and results. Floats are
// added in double, so that the order hardly matters; it is fixed all the same.
namespace fib::ops::gpu {

using Real = FIB_REAL;

template <typename R>
struct WideOf {
  using Type = double;
  __device__ static double sum(double a, double b) { return a + b; }
  __device__ static double product(double a, double b) { return a * b; }
};
template <>
struct WideOf<i64> {
  using Type = i64;
  __device__ static i64 sum(i64 a, i64 b) {
    return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b));
  }
  __device__ static i64 product(i64 a, i64 b) {
    return static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b));
  }
};
using Wide = WideOf<Real>::Type;
using Arithmetic = WideOf<Real>;

// add() takes one more element, join() the state of another part of the row, finish() gives the row's result.
struct Sum {
  __device__ static Wide start() { return 0; }
  __device__ static Wide add(Wide state, Real x) { return Arithmetic::sum(state, static_cast<Wide>(x)); }
  __device__ static Wide join(Wide a, Wide b) { return Arithmetic::sum(a, b); }
  __device__ static Wide finish(Wide state, i64) { return state; }
};
struct Mean : Sum {
  __device__ static Wide finish(Wide state, i64 count) { return state / static_cast<Wide>(count); }
};
struct Prod {
  __device__ static Wide start() { return 1; }
  __device__ static Wide add(Wide state, Real x) { return Arithmetic::product(state, static_cast<Wide>(x)); }
  __device__ static Wide join(Wide a, Wide b) { return Arithmetic::product(a, b); }
  __device__ static Wide finish(Wide state, i64) { return state; }
};
// NaN wins.
struct Max {
  __device__ static Wide start() { return Limits<Wide>::lowest(); }
  __device__ static Wide join(Wide best, Wide x) { return x > best || x != x ? x : best; }
  __device__ static Wide add(Wide best, Real x) { return join(best, static_cast<Wide>(x)); }
  __device__ static Wide finish(Wide best, i64) { return best; }
};
struct Min {
  __device__ static Wide start() { return Limits<Wide>::highest(); }
  __device__ static Wide join(Wide best, Wide x) { return x < best || x != x ? x : best; }
  __device__ static Wide add(Wide best, Real x) { return join(best, static_cast<Wide>(x)); }
  __device__ static Wide finish(Wide best, i64) { return best; }
};
struct Any {
  __device__ static Wide start() { return 0; }
  __device__ static Wide join(Wide a, Wide b) { return a != 0 || b != 0 ? 1 : 0; }
  __device__ static Wide add(Wide found, Real x) { return found != 0 || x != Real{0} ? 1 : 0; }
  __device__ static Wide finish(Wide found, i64) { return found; }
};
struct All {
  __device__ static Wide start() { return 1; }
  __device__ static Wide join(Wide a, Wide b) { return a != 0 && b != 0 ? 1 : 0; }
  __device__ static Wide add(Wide all, Real x) { return all != 0 && x != Real{0} ? 1 : 0; }
  __device__ static Wide finish(Wide all, i64) { return all; }
};
struct Norm : Sum {
  __device__ static Wide add(Wide squares, Real x) {
    return Arithmetic::sum(squares, Arithmetic::product(static_cast<Wide>(x), static_cast<Wide>(x)));
  }
  __device__ static Wide finish(Wide squares, i64) {
    return static_cast<Wide>(::sqrt(static_cast<double>(squares)));
  }
};

#if !defined(FIB_JOIN_PARTS)

// One group a part of a row. Writes the rows' results, or with `states` the parts' states.
extern "C" __global__ void fib_reduce(const Walk<1> input, const RowShape rows, const View output,
                                      Wide* states) {
  __shared__ Wide shared[kThreads];
  const i64 units = rows.rows * rows.parts;
  const i64 together = kThreads / rows.group;
  const int lane = static_cast<int>(threadIdx.x) % rows.group;
  for (i64 first = blockIdx.x * together; first < units; first += gridDim.x * together) {
    const i64 unit = first + static_cast<int>(threadIdx.x) / rows.group;
    Wide state = FIB_REDUCTION::start();
    if (unit < units) {
      const i64 row = unit / rows.parts;
      const i64 begin = (unit - row * rows.parts) * rows.part_length;
      const i64 end = begin + rows.part_length < rows.length ? begin + rows.part_length : rows.length;
      for (i64 j = begin + lane; j < end; j += rows.group) {
        state = FIB_REDUCTION::add(state, element_of<Real>(input, row * rows.length + j));
      }
    }
    state = join_group<FIB_REDUCTION>(state, shared, rows.group);
    if (lane != 0 || unit >= units) continue;
    if (states != nullptr) {
      states[unit] = state;
    } else {
      store<Wide, FIB_TYPE1>(output, unit, FIB_REDUCTION::finish(state, rows.length));
    }
  }
}

#else

// Joins the parts of every row; one block a row.
extern "C" __global__ void fib_reduce_parts(const Wide* states, const RowShape rows, const View output) {
  __shared__ Wide shared[kThreads];
  for (i64 row = blockIdx.x; row < rows.rows; row += gridDim.x) {
    Wide state = FIB_REDUCTION::start();
    for (i64 part = threadIdx.x; part < rows.parts; part += kThreads) {
      state = FIB_REDUCTION::join(state, states[row * rows.parts + part]);
    }
    state = join_group<FIB_REDUCTION>(state, shared, kThreads);
    if (threadIdx.x == 0) store<Wide, FIB_TYPE1>(output, row, FIB_REDUCTION::finish(state, rows.length));
  }
}

#endif

}  // namespace fib::ops::gpu
