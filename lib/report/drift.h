#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fib::report {

// What two sides A and B on one hardware differ by for another reason than the solutions: another driver,
// another toolchain, a warmer room, a busier machine. Seen by results whose source has not changed.
struct Drift {
  double ratio = 1;       // the median of B's latencies over A's
  double scatter = 1;     // how many times as wide the results' own noise has to be taken: 1 to kMostScatter
  std::size_t pairs = 0;  // of the same source that passed on both sides
  double doubt = 0;  // in 95 of 100 cases the ratio of equal sides is off by a factor of at most 1 + doubt

  // Whether the sides differ by at least this share, and by more than the doubt.
  [[nodiscard]] bool is_beyond(double least) const;
  [[nodiscard]] bool is_scattered() const { return scatter >= 1.05; }  // so much that it is told
};

inline constexpr std::size_t kDriftPairs = 5;
inline constexpr std::size_t kScatterPairs = 10;
inline constexpr double kMostScatter = 3;
inline constexpr double kLeastNoise = 0.01;

// Two results of the same source.
struct SameSource {
  double ratio = 1;             // B's latency over A's, above 0
  std::optional<double> noise;  // relative_noise() of the two; nothing: not known
};

// Nothing below kDriftPairs pairs. The scatter is 1 where the noise of fewer than kScatterPairs is known.
// With z the distance of a ratio from the drift over its noise (both in logarithms; the noise at least
// kLeastNoise), it is three standard deviations of z, by the median of |z| (times 1.4826, of a normal
// distribution), which single changes move little; three, since many results are judged at once. It is
// kMostScatter at most: what became slower in half of all results must not hide itself. The doubt is that of
// a median of so many values: 1.96 standard errors, 1.2533 standard deviations over the root of their number,
// by the median of their distances from the drift, as above. Pure.
[[nodiscard]] std::optional<Drift> drift_of(const std::vector<SameSource>& pairs);

// That of each hardware which has one. Pure.
using SameSources = std::map<std::string, std::vector<SameSource>>;  // by hardware
[[nodiscard]] std::map<std::string, Drift> drifts_of(const SameSources& pairs);

// A noise that is `scatter` times as wide: 0.1 is a factor of 1.1 in either direction, which times 2 is 1.21.
[[nodiscard]] double wider(double noise, double scatter);

}  // namespace fib::report
