#include "eval/statistics.h"

#include <algorithm>
#include <array>
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

constexpr double kNormal95 = 1.959964;  // the normal distribution's quantile 97.5 %

// The same quantile of Student's t with so many degrees of freedom; from 15 on by Fisher's expansion, which
// is right to three digits there.
double student95(std::size_t freedom) {
  constexpr std::array<double, 14> kFew = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                           2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145};
  if (freedom <= kFew.size()) return kFew[freedom - 1];
  const auto n = static_cast<double>(freedom);
  return kNormal95 + 2.3723 / n + 2.8225 / (n * n);
}

double standard_deviation(const std::vector<double>& values, double center) {
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
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

double median_half_width(std::vector<double> values) {
  require_values(values);
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  const double reach = kNormal95 * std::sqrt(n);
  // Ranks count from 1.
  const double low = std::max(1.0, std::floor((n - reach) / 2));
  const double high = std::min(n, std::ceil(1 + (n + reach) / 2));
  return (values[static_cast<std::size_t>(high) - 1] - values[static_cast<std::size_t>(low) - 1]) / 2;
}

double mean_half_width(const std::vector<double>& values) {
  if (values.size() < 2) throw Error("an interval needs at least two values");
  return student95(values.size() - 1) * standard_deviation(values, mean(values)) /
         std::sqrt(static_cast<double>(values.size()));
}

double coefficient_of_variation(const std::vector<double>& values) {
  const double center = mean(values);
  if (values.size() < 2 || center == 0) return 0;
  return standard_deviation(values, center) / center;
}

}  // namespace fib::eval
