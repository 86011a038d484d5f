#pragma once

#include <cstdint>
#include <vector>

namespace fib::bench {

// Within what another run of the same evaluation reads the same latency, in 95 of 100 cases: half-widths, in
// milliseconds (docs/measuring.md, "How many calls").
struct Interval {
  double calls_ms = 0;      // by the spread of the timed calls
  double trials_ms = 0;     // by that of the trials' medians; 0 where there is one trial
  double processes_ms = 0;  // what equal runs in other processes differ by besides
  // Of this run's own latency: what more calls make smaller.
  [[nodiscard]] double own_ms() const;
  // Of another run's, whose own latency is as uncertain as this one's.
  [[nodiscard]] double half_ms() const;
};

// Of trials with at least one call each, at least one. `kernels`: of one call on CUDA; 0: not known. Pure.
[[nodiscard]] Interval interval_of(const std::vector<std::vector<double>>& trials_ms, bool on_cuda,
                                   std::uint64_t kernels);

// Within which share of itself a latency has to be known: `share`, or half of what equal runs in other
// processes differ by, where that is more. With still more calls the interval would be a fifth narrower at
// most (the root of 1 + 2 / 4).
[[nodiscard]] double enough_share(const Interval& interval, double latency_ms, double share);

}  // namespace fib::bench
