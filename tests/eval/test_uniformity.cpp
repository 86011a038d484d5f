#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "eval/uniformity.h"

using namespace fib;

namespace {

std::vector<double> uniform_sample(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 generator(seed);
  std::vector<double> values(count);
  for (double& value : values) value = std::uniform_real_distribution<double>()(generator);
  return values;
}

}  // namespace

TEST_CASE("the distance is the largest gap between the distribution functions") {
  CHECK(eval::distance_from_uniform({}) == 0);
  CHECK(eval::distance_from_uniform({0.5}) == 0.5);
  CHECK(eval::distance_from_uniform({0.25, 0.75}) == 0.25);
  CHECK(eval::distance_from_uniform({0.9, 0.8, 0.7}) == Approx(0.7));
  CHECK(eval::distance_from_uniform({0, 0, 0, 0}) == 1);
}

TEST_CASE("the distance's p-value is a bound, and its inverse gives the distance back") {
  CHECK(eval::p_of_distance(0, 100) == 1);
  CHECK(eval::p_of_distance(0.2, 100) == Approx(2 * std::exp(-8.0)));
  CHECK(eval::p_of_distance(eval::distance_of_p(1e-6, 3000), 3000) == Approx(1e-6));
  CHECK(eval::distance_of_p(1e-6, 0) == 1);
}

TEST_CASE("p-values of uniform samples are as small as they say, and no smaller") {
  int smooth = 0;
  int distance = 0;
  constexpr int kRuns = 2000;
  for (int i = 0; i < kRuns; ++i) {
    const auto sample = uniform_sample(static_cast<std::uint64_t>(i), 500);
    smooth += eval::p_of_smooth_test(sample) < 0.05 ? 1 : 0;
    distance += eval::p_of_distance(eval::distance_from_uniform(sample), sample.size()) < 0.05 ? 1 : 0;
  }
  CHECK(smooth > 0.03 * kRuns);
  CHECK(smooth < 0.07 * kRuns);
  CHECK(distance < 0.07 * kRuns);
}

TEST_CASE("shifts, spreads and skews are seen") {
  const auto p_of = [](auto change) {
    auto sample = uniform_sample(7, 4000);
    for (double& value : sample) value = change(value);
    return eval::p_of_smooth_test(sample);
  };
  CHECK(p_of([](double u) { return u; }) > 1e-3);
  CHECK(p_of([](double u) { return u * u; }) < 1e-12);
  CHECK(p_of([](double u) { return 0.1 + 0.8 * u; }) < 1e-12);
  CHECK(p_of([](double u) { return std::pow(u, 1.15); }) < 1e-9);
}
