#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

// What reductions keep while they go through the elements of one row.
namespace fib::ops {

// Several running sums let the loop vectorise, and lose less to rounding.
constexpr std::size_t kLanes = 8;

// Accumulators: add() takes elements of one row in any number of pieces. Sums of floats are kept in double.
template <typename Real>
using Wide = std::conditional_t<std::is_same_v<Real, std::int64_t>, std::int64_t, double>;

// Integers wrap around.
template <typename Real>
using Running = std::conditional_t<std::is_same_v<Real, std::int64_t>, std::uint64_t, double>;

template <typename Real>
struct SumOf {
  std::array<Running<Real>, kLanes> lanes{};
  void add(const Real* x, std::int64_t n) {
    std::int64_t i = 0;
    for (; i + static_cast<std::int64_t>(kLanes) <= n; i += static_cast<std::int64_t>(kLanes)) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        lanes[lane] += static_cast<Running<Real>>(x[i + static_cast<std::int64_t>(lane)]);
    }
    for (; i < n; ++i) lanes[0] += static_cast<Running<Real>>(x[i]);
  }
  [[nodiscard]] Wide<Real> result(std::int64_t) const {
    Running<Real> sum = 0;
    for (const Running<Real> lane : lanes) sum += lane;
    return static_cast<Wide<Real>>(sum);
  }
};

template <typename Real>
struct MeanOf : SumOf<Real> {
  [[nodiscard]] Wide<Real> result(std::int64_t count) const {
    return SumOf<Real>::result(count) / static_cast<Wide<Real>>(count);
  }
};

template <typename Real>
struct ProdOf {
  Running<Real> product = 1;
  void add(const Real* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) product *= static_cast<Running<Real>>(x[i]);
  }
  [[nodiscard]] Wide<Real> result(std::int64_t) const { return static_cast<Wide<Real>>(product); }
};

template <typename Real>
Real lowest() {
  return std::is_same_v<Real, std::int64_t> ? std::numeric_limits<Real>::min()
                                            : -std::numeric_limits<Real>::infinity();
}

template <typename Real>
Real highest() {
  return std::is_same_v<Real, std::int64_t> ? std::numeric_limits<Real>::max()
                                            : std::numeric_limits<Real>::infinity();
}

template <typename Real>
struct MaxOf {
  Real best = lowest<Real>();
  void add(const Real* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) best = x[i] > best || x[i] != x[i] ? x[i] : best;
  }
  [[nodiscard]] Wide<Real> result(std::int64_t) const { return static_cast<Wide<Real>>(best); }
};

template <typename Real>
struct MinOf {
  Real best = highest<Real>();
  void add(const Real* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) best = x[i] < best || x[i] != x[i] ? x[i] : best;
  }
  [[nodiscard]] Wide<Real> result(std::int64_t) const { return static_cast<Wide<Real>>(best); }
};

template <typename Real>
struct AnyOf {
  bool found = false;
  void add(const Real* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n && !found; ++i) found = x[i] != Real{0};
  }
  [[nodiscard]] Wide<Real> result(std::int64_t) const { return found ? 1 : 0; }
};

template <typename Real>
struct AllOf {
  bool all = true;
  void add(const Real* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n && all; ++i) all = x[i] != Real{0};
  }
  [[nodiscard]] Wide<Real> result(std::int64_t) const { return all ? 1 : 0; }
};

template <typename Real>
struct NormOf {
  double squares = 0;
  void add(const Real* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
  [[nodiscard]] Wide<Real> result(std::int64_t) const { return static_cast<Wide<Real>>(std::sqrt(squares)); }
};

// The sum of exponentials relative to the largest value so far.
template <typename Real>
struct LogSumExpOf {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  void add(const Real* x, std::int64_t n) {
    MaxOf<Real> part;
    part.add(x, n);
    const double before = largest;
    largest = std::max(largest, static_cast<double>(part.best));
    if (part.best != part.best) largest = static_cast<double>(part.best);
    if (std::isinf(largest) && largest < 0) return;
    if (std::isinf(largest)) {
      sum = 1;
      return;
    }
    sum *= std::exp(before - largest);
    for (std::int64_t i = 0; i < n; ++i)
      sum += static_cast<double>(std::exp(x[i] - static_cast<Real>(largest)));
  }
  [[nodiscard]] Wide<Real> result(std::int64_t) const {
    return static_cast<Wide<Real>>(largest + std::log(sum));
  }
};

}  // namespace fib::ops
