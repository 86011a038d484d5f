#pragma once

#include "kernels/ops/groups.cuh"
#include "kernels/ops/math.cuh"

// Softmax and what belongs to it, running sums, and extremes with their index: by the loops of
// lib/ops/row_functions.cpp and reduce.cpp. FIB_REAL is the type to compute in, FIB_TYPE0 the
// dtype of the rows; results are packed.
namespace fib::ops::gpu {

using Real = FIB_REAL;

template <typename R>
struct Largest {
  __device__ static R join(R best, R x) { return x > best || x != x ? x : best; }
};
struct Added {
  __device__ static double join(double a, double b) { return a + b; }
};

#if defined(FIB_SOFTMAX) || defined(FIB_LOGSUMEXP)

template <typename Body>
__device__ void for_rows(const RowShape& rows, const Body& body) {
  const i64 together = kThreads / rows.group;
  for (i64 first = blockIdx.x * together; first < rows.rows; first += gridDim.x * together) {
    body(first + static_cast<int>(threadIdx.x) / rows.group);
  }
}

// The largest element of a row and the sum of all exponentials relative to it; for the whole block.
struct Exponentials {
  Real shift;
  double sum;
};

__device__ inline Exponentials exponentials_of(const Walk<1>& input, const RowShape& rows, i64 row) {
  __shared__ Real largest[kThreads];
  __shared__ double sums[kThreads];
  const int lane = static_cast<int>(threadIdx.x) % rows.group;
  const i64 end = row < rows.rows ? rows.length : 0;
  Real best = Limits<Real>::lowest();
  for (i64 j = lane; j < end; j += rows.group) {
    best = Largest<Real>::join(best, element_of<Real>(input, row * rows.length + j));
  }
  const Real shift = join_group<Largest<Real>>(best, largest, rows.group);
  double sum = 0;
  for (i64 j = lane; j < end; j += rows.group) {
    sum += static_cast<double>(m_exp(element_of<Real>(input, row * rows.length + j) - shift));
  }
  return {shift, join_group<Added>(sum, sums, rows.group)};
}

#if defined(FIB_SOFTMAX)

struct SoftmaxRow {
  const Walk<1>& input;
  const RowShape& rows;
  const View& output;
  bool logarithm;
  __device__ void operator()(i64 row) const {
    const Exponentials e = exponentials_of(input, rows, row);
    if (row >= rows.rows) return;
    const Real divisor = static_cast<Real>(e.sum);
    const Real log_sum = static_cast<Real>(::log(e.sum));
    for (i64 j = static_cast<int>(threadIdx.x) % rows.group; j < rows.length; j += rows.group) {
      const Real x = element_of<Real>(input, row * rows.length + j);
      store<Real, FIB_TYPE0>(output, row * rows.length + j,
                             logarithm ? x - e.shift - log_sum : m_exp(x - e.shift) / divisor);
    }
  }
};

extern "C" __global__ void fib_softmax(const Walk<1> input, const RowShape rows, const View output,
                                       i32 logarithm) {
  for_rows(rows, SoftmaxRow{input, rows, output, logarithm != 0});
}

#else

struct LogSumExpRow {
  const Walk<1>& input;
  const RowShape& rows;
  const View& output;
  __device__ void operator()(i64 row) const {
    const Exponentials e = exponentials_of(input, rows, row);
    if (row >= rows.rows || static_cast<int>(threadIdx.x) % rows.group != 0) return;
    const double shift = static_cast<double>(e.shift);
    store<double, FIB_TYPE0>(output, row, is_infinite(shift) ? shift : shift + ::log(e.sum));
  }
};

extern "C" __global__ void fib_logsumexp(const Walk<1> input, const RowShape rows, const View output) {
  for_rows(rows, LogSumExpRow{input, rows, output});
}

#endif

#elif defined(FIB_SCAN)

// Sums and products of floats are kept in double; integers wrap around.
template <typename R>
struct RunningOf {
  using Type = double;
};
template <>
struct RunningOf<i64> {
  using Type = u64;
};
using Running = RunningOf<Real>::Type;

__device__ inline Running accumulate(Running a, Running b, i32 product) {
  return product != 0 ? a * b : a + b;
}

// One block a row, 256 elements at a time.
extern "C" __global__ void fib_scan(const Walk<1> input, const RowShape rows, const View output,
                                    i32 product) {
  __shared__ Running shared[kThreads];
  const int lane = static_cast<int>(threadIdx.x);
  const Running nothing = product != 0 ? 1 : 0;
  for (i64 row = blockIdx.x; row < rows.rows; row += gridDim.x) {
    Running before = nothing;
    for (i64 base = 0; base < rows.length; base += kThreads) {
      const i64 j = base + lane;
      const i64 index = row * rows.length + j;
      shared[lane] = j < rows.length ? static_cast<Running>(element_of<Real>(input, index)) : nothing;
      __syncthreads();
      for (int distance = 1; distance < kThreads; distance *= 2) {
        const Running other = lane >= distance ? shared[lane - distance] : nothing;
        __syncthreads();
        shared[lane] = accumulate(other, shared[lane], product);
        __syncthreads();
      }
      if (j < rows.length)
        store<Real, FIB_TYPE1>(output, index, static_cast<Real>(accumulate(before, shared[lane], product)));
      before = accumulate(before, shared[kThreads - 1], product);
      __syncthreads();
    }
  }
}

#else

struct Found {
  Real value;
  i64 index;  // below 0: nothing yet
};

// The first of equals; the first NaN before all else.
template <bool kLargest>
struct Better {
  __device__ static Found join(const Found& a, const Found& b) {
    if (a.index < 0 || b.index < 0) return a.index < 0 ? b : a;
    const Found& first = a.index < b.index ? a : b;
    const Found& second = a.index < b.index ? b : a;
    if (first.value != first.value) return first;
    if (second.value != second.value) return second;
    return (kLargest ? second.value > first.value : second.value < first.value) ? second : first;
  }
};

// FIB_LARGEST is true or false.
extern "C" __global__ void fib_extreme(const Walk<1> input, const RowShape rows, const View values,
                                       const View indices) {
  __shared__ Found shared[kThreads];
  const i64 together = kThreads / rows.group;
  const int lane = static_cast<int>(threadIdx.x) % rows.group;
  for (i64 first = blockIdx.x * together; first < rows.rows; first += gridDim.x * together) {
    const i64 row = first + static_cast<int>(threadIdx.x) / rows.group;
    Found best{Real{0}, -1};
    for (i64 j = lane; j < rows.length && row < rows.rows; j += rows.group) {
      best = Better<FIB_LARGEST>::join(best, Found{element_of<Real>(input, row * rows.length + j), j});
    }
    best = join_group<Better<FIB_LARGEST>>(best, shared, rows.group);
    if (lane != 0 || row >= rows.rows) continue;
    store<Real, FIB_TYPE0>(values, row, best.value);
    store<i64, kInt64>(indices, row, best.index);
  }
}

#endif

}  // namespace fib::ops::gpu
