#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace fib::report {

// What two sides A and B on one hardware differ by for another reason than the solutions: another driver,
// another toolchain, a warmer room, a busier machine. Seen by results whose source has not changed.
struct Drift {
  double ratio = 1;    // the median of B's latencies over A's
  double scatter = 0;  // how far single ones lie from that: 0.2 is a factor of up to 1.2 in either direction
  std::size_t pairs = 0;  // of the same source that passed on both sides
};

inline constexpr std::size_t kDriftPairs = 5;
inline constexpr std::size_t kScatterPairs = 10;

// Of B's latencies over A's, all of the same source and above 0. Nothing below kDriftPairs of them; no
// scatter below kScatterPairs. The scatter is three standard deviations of the ratios' logarithms, by the
// median absolute deviation (times 1.4826, of a normal distribution), so that what became of fewer than half
// of them widens it little. Three, since many results are judged at once. Pure.
[[nodiscard]] std::optional<Drift> drift_of(const std::vector<double>& ratios);

}  // namespace fib::report
