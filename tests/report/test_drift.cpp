#include <catch2/catch.hpp>
#include <cmath>

#include "report/drift.h"

using namespace fib;
using Pairs = std::vector<report::SameSource>;

namespace {

Pairs with_noise(const std::vector<double>& ratios, double noise) {
  Pairs pairs;
  for (const double ratio : ratios) pairs.push_back({ratio, noise});
  return pairs;
}

}  // namespace

TEST_CASE("drift is the median ratio of five results or more") {
  CHECK_FALSE(report::drift_of({}));
  CHECK_FALSE(report::drift_of(with_noise({1.1, 1.1, 1.1, 1.1}, 0.1)));
  const auto odd = report::drift_of({{1.1, {}}, {2.0, {}}, {1.2, {}}, {0.5, {}}, {1.15, {}}});
  REQUIRE(odd);
  CHECK(odd->ratio == Approx(1.15));
  CHECK(odd->scatter == 1);
  CHECK(odd->pairs == 5);
  const auto even = report::drift_of(with_noise({1, 4, 1, 4, 1, 4}, 0.1));
  REQUIRE(even);
  CHECK(even->ratio == Approx(2));
  CHECK(even->scatter == 1);  // six are too few to say
}

TEST_CASE("a drift is one beyond the doubt that so many results leave") {
  // Nine results, half of which lie within 0.1 of the median's logarithm.
  const std::vector<double> spread{-0.25, -0.2, -0.15, -0.1, 0, 0.1, 0.15, 0.2, 0.25};
  const auto drift_by = [&](double factor) {
    std::vector<double> ratios;
    for (const double logarithm : spread) ratios.push_back(factor * std::exp(logarithm));
    return *report::drift_of(with_noise(ratios, 0.05));
  };
  CHECK(drift_by(1.1).doubt == Approx(std::expm1(1.96 * 1.2533 * 1.4826 * 0.15 / 3)));
  CHECK_FALSE(drift_by(1.1).is_beyond(0.01));
  CHECK_FALSE(drift_by(1 / 1.1).is_beyond(0.01));
  CHECK(drift_by(1.3).is_beyond(0.01));
  CHECK(drift_by(1 / 1.3).is_beyond(0.01));
  const auto sure = *report::drift_of(with_noise({1.02, 1.02, 1.02, 1.02, 1.02}, 0.05));
  CHECK(sure.doubt == Approx(0).margin(1e-12));
  CHECK(sure.is_beyond(0.01));
  CHECK_FALSE(sure.is_beyond(0.03));
}

TEST_CASE("scatter is how far ten results or more lie from the drift, over their noise") {
  // Most logarithms lie 0.1 away from the median.
  const double up = std::exp(0.1);
  const double down = std::exp(-0.1);
  const std::vector<double> ratios{up, down, up, down, up, down, up, down, 1, 1};
  const auto busy = report::drift_of(with_noise(ratios, std::expm1(0.2)));
  REQUIRE(busy);
  CHECK(busy->ratio == Approx(1));
  CHECK(busy->scatter == Approx(3 * 1.4826 / 2));
  CHECK(report::drift_of(with_noise(ratios, std::expm1(0.05)))->scatter == 3);  // at most
  CHECK(report::drift_of(with_noise(ratios, std::expm1(0.5)))->scatter == 1);   // what they say themselves

  // Differences within 1 % are none, however small the noise.
  const std::vector<double> alike{1.002, 0.998, 1.002, 0.998, 1.002, 0.998, 1.002, 0.998, 1, 1};
  CHECK(report::drift_of(with_noise(alike, 0.0001))->scatter == 1);

  // What short kernels do says nothing of long ones.
  Pairs mixed = with_noise(ratios, std::expm1(0.5));
  for (int i = 0; i < 9; ++i) mixed.push_back({1.0001, 0.005});
  CHECK(report::drift_of(mixed)->scatter == 1);

  // The drift itself is no scatter, and what became of a third of the results is none either.
  const auto regressed = report::drift_of(with_noise({1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 3, 3, 3}, 0.01));
  REQUIRE(regressed);
  CHECK(regressed->ratio == Approx(1.1));
  CHECK(regressed->scatter == 1);
  // Half of all are 30 % slower: more than three times their noise.
  const auto half = report::drift_of(with_noise({1, 1.3, 1, 1.3, 1, 1.3, 1, 1.3, 1, 1.3, 1, 1.3}, 0.006));
  REQUIRE(half);
  CHECK(report::wider(0.006, half->scatter) < 0.02);
}

TEST_CASE("a noise is a factor in either direction, and wider by powers of it") {
  CHECK(report::wider(0.1, 1) == Approx(0.1));
  CHECK(report::wider(0.1, 2) == Approx(0.21));
  CHECK(report::wider(0, 5) == 0);
}
