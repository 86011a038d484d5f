#pragma once

#include <vector>

// Tests of whether independent numbers between 0 and 1 are uniformly distributed: how far they are off, and
// how likely a uniform sample of the same size is at least as far off (the p-value). An empty sample is
// uniform.
namespace fib::eval {

// The largest difference between the sample's distribution function and the uniform one (Kolmogorov and
// Smirnov's D), 0 to 1.
[[nodiscard]] double distance_from_uniform(std::vector<double> values);

// An upper bound of the p-value of that distance, for samples of any size and also discrete ones: 2 exp(-2 n
// D^2) (Dvoretzky, Kiefer, Wolfowitz; the constant is Massart's).
[[nodiscard]] double p_of_distance(double distance, std::size_t samples);

// The distance whose p-value is `p`.
[[nodiscard]] double distance_of_p(double p, std::size_t samples);

// Neyman's smooth test of order 4: the squared means of the first four normalised Legendre polynomials, times
// n, are chi-square with 4 degrees of freedom. Sees shifts, spreads and lopsidedness far smaller than the
// distance does. For some hundred samples and more.
[[nodiscard]] double p_of_smooth_test(const std::vector<double>& values);

}  // namespace fib::eval
