#pragma once

#include <vector>

// Statistics of a sample of at least one value (an empty sample is an Error); the order of the values does
// not matter.
namespace fib::eval {

[[nodiscard]] double mean(const std::vector<double>& values);
// The middle value, or the mean of the two middle ones.
[[nodiscard]] double median(std::vector<double> values);
// Linear interpolation between the sorted values at position q * (n - 1); q in [0, 1].
[[nodiscard]] double quantile(std::vector<double> values, double q);
// The quantiles 0, 5, 10, ..., 100 %.
[[nodiscard]] std::vector<double> quantiles21(std::vector<double> values);
// Half of the 95 % interval of the median, whatever the distribution: between the values of ranks
// (n -+ 1.96 sqrt(n)) / 2 (Hoefler and Belli, "Scientific benchmarking of parallel computing systems", 2015).
// Of few values it is half of their range.
[[nodiscard]] double median_half_width(std::vector<double> values);
// Half of the 95 % interval of the mean of normally distributed values, by Student's t. At least two values.
[[nodiscard]] double mean_half_width(const std::vector<double>& values);
// Sample standard deviation (n - 1) over mean; 0 for a single value or a mean of 0.
[[nodiscard]] double coefficient_of_variation(const std::vector<double>& values);

}  // namespace fib::eval
