#include "eval/uniformity.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fib::eval {
namespace {

constexpr std::size_t kOrder = 4;

// Legendre polynomials on [0, 1], normalised: mean 0 and variance 1 under the uniform distribution.
std::array<double, kOrder> legendre(double u) {
  const double x = 2 * u - 1;
  const double x2 = x * x;
  return {std::sqrt(3) * x, std::sqrt(5) * (3 * x2 - 1) / 2, std::sqrt(7) * (5 * x2 - 3) * x / 2,
          3 * (35 * x2 * x2 - 30 * x2 + 3) / 8};
}

}  // namespace

double distance_from_uniform(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto below = static_cast<double>(i);
    distance = std::max({distance, values[i] - below / n, (below + 1) / n - values[i]});
  }
  return distance;
}

double p_of_distance(double distance, std::size_t samples) {
  return std::min(1.0, 2 * std::exp(-2 * static_cast<double>(samples) * distance * distance));
}

double distance_of_p(double p, std::size_t samples) {
  return samples == 0 ? 1 : std::sqrt(std::log(2 / p) / (2 * static_cast<double>(samples)));
}

double p_of_smooth_test(const std::vector<double>& values) {
  std::array<double, kOrder> sums{};
  for (const double value : values) {
    const auto terms = legendre(value);
    for (std::size_t i = 0; i < kOrder; ++i) sums[i] += terms[i];
  }
  double statistic = 0;
  for (const double sum : sums) statistic += sum * sum / std::max(1.0, static_cast<double>(values.size()));
  return std::exp(-statistic / 2) * (1 + statistic / 2);  // the upper tail for 4 degrees of freedom
}

}  // namespace fib::eval
