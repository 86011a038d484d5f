#include "report/drift.h"

#include <algorithm>
#include <cmath>

#include "util/median.h"

namespace fib::report {
namespace {

constexpr double kDeviations = 3;
constexpr double kDeviationOverMedian = 1.4826;
constexpr double kErrorsIn95 = 1.96;
constexpr double kMedianOverMeanError = 1.2533;  // of a normal distribution

}  // namespace

std::optional<Drift> drift_of(const std::vector<SameSource>& pairs) {
  if (pairs.size() < kDriftPairs) return std::nullopt;
  std::vector<double> logarithms;
  for (const SameSource& pair : pairs) logarithms.push_back(std::log(pair.ratio));
  const double middle = util::median_of(logarithms);
  std::vector<double> from_middle;
  std::vector<double> distances;  // the same over their noise, where that is known
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    from_middle.push_back(std::abs(logarithms[i] - middle));
    if (pairs[i].noise)
      distances.push_back(from_middle.back() / std::log1p(std::max(*pairs[i].noise, kLeastNoise)));
  }
  const double error = kMedianOverMeanError * kDeviationOverMedian * util::median_of(from_middle) /
                       std::sqrt(static_cast<double>(pairs.size()));
  Drift drift{std::exp(middle), 1, pairs.size(), std::expm1(kErrorsIn95 * error)};
  if (distances.size() >= kScatterPairs)
    drift.scatter =
        std::clamp(kDeviations * kDeviationOverMedian * util::median_of(distances), 1.0, kMostScatter);
  return drift;
}

std::map<std::string, Drift> drifts_of(const SameSources& pairs) {
  std::map<std::string, Drift> drifts;
  for (const auto& [hardware, of_hardware] : pairs) {
    if (const auto drift = drift_of(of_hardware)) drifts[hardware] = *drift;
  }
  return drifts;
}

bool Drift::is_beyond(double least) const {
  return std::abs(ratio - 1) >= least && std::abs(std::log(ratio)) > std::log1p(doubt);
}

double wider(double noise, double scatter) {
  return scatter == 1 ? noise : std::expm1(scatter * std::log1p(noise));
}

}  // namespace fib::report
