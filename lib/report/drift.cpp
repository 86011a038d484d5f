#include "report/drift.h"

#include <algorithm>
#include <cmath>

namespace fib::report {
namespace {

constexpr double kDeviations = 3;
constexpr double kDeviationOverMedian = 1.4826;

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

std::optional<Drift> drift_of(const std::vector<double>& ratios) {
  if (ratios.size() < kDriftPairs) return std::nullopt;
  std::vector<double> logarithms;
  for (const double ratio : ratios) logarithms.push_back(std::log(ratio));
  const double middle = median_of(logarithms);
  Drift drift{std::exp(middle), 0, ratios.size()};
  if (ratios.size() < kScatterPairs) return drift;
  for (double& value : logarithms) value = std::abs(value - middle);
  drift.scatter = std::expm1(kDeviations * kDeviationOverMedian * median_of(logarithms));
  return drift;
}

}  // namespace fib::report
