#include "report/drift.h"

#include <algorithm>
#include <cmath>

#include "util/median.h"

namespace fib::report {
namespace {

constexpr double kDeviations = 3;
constexpr double kDeviationOverMedian = 1.4826;

}  // namespace

std::optional<Drift> drift_of(const std::vector<SameSource>& pairs) {
  if (pairs.size() < kDriftPairs) return std::nullopt;
  std::vector<double> logarithms;
  for (const SameSource& pair : pairs) logarithms.push_back(std::log(pair.ratio));
  const double middle = util::median_of(logarithms);
  std::vector<double> distances;
  for (const SameSource& pair : pairs) {
    if (pair.noise)
      distances.push_back(std::abs(std::log(pair.ratio) - middle) /
                          std::log1p(std::max(*pair.noise, kLeastNoise)));
  }
  Drift drift{std::exp(middle), 1, pairs.size()};
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

double wider(double noise, double scatter) {
  return scatter == 1 ? noise : std::expm1(scatter * std::log1p(noise));
}

}  // namespace fib::report
