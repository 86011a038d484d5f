#include "eval/statistics.h"

#include <algorithm>
#include <cmath>

#include "util/error.h"

namespace fib::eval {
namespace {

void require_values(const std::vector<double>& values) {
  if (values.empty()) throw Error("statistics of a sample need at least one value, and this one has none");
}

double interpolate(const std::vector<double>& sorted, double q) {
  if (!(q >= 0 && q <= 1)) throw Error("{} is no quantile; they lie between 0 and 1", q);
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = position - static_cast<double>(below);
  return share == 0 ? sorted[below] : sorted[below] + share * (sorted[above] - sorted[below]);
}

}  // namespace

double mean(const std::vector<double>& values) {
  require_values(values);
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  require_values(values);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

double quantile(std::vector<double> values, double q) {
  require_values(values);
  std::ranges::sort(values);
  return interpolate(values, q);
}

std::vector<double> quantiles21(std::vector<double> values) {
  require_values(values);
  std::ranges::sort(values);
  std::vector<double> quantiles;
  for (int i = 0; i <= 20; ++i) quantiles.push_back(interpolate(values, i / 20.0));
  return quantiles;
}

double coefficient_of_variation(const std::vector<double>& values) {
  const double center = mean(values);
  if (values.size() < 2 || center == 0) return 0;
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / center;
}

}  // namespace fib::eval
