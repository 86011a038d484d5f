#include <catch2/catch.hpp>
#include <cmath>

#include "report/drift.h"

using namespace fib;

TEST_CASE("drift is the median ratio of five results or more") {
  CHECK_FALSE(report::drift_of({}));
  CHECK_FALSE(report::drift_of({1.1, 1.1, 1.1, 1.1}));
  const auto odd = report::drift_of({1.1, 2.0, 1.2, 0.5, 1.15});
  REQUIRE(odd);
  CHECK(odd->ratio == Approx(1.15));
  CHECK(odd->pairs == 5);
  const auto even = report::drift_of({1, 4, 1, 4, 1, 4});
  REQUIRE(even);
  CHECK(even->ratio == Approx(2));
}

TEST_CASE("scatter is how far ten results or more lie from the drift, by the median") {
  const auto nine = report::drift_of({1, 1.1, 0.9, 1, 1.1, 0.9, 1, 1.1, 0.9});
  REQUIRE(nine);
  CHECK(nine->scatter == 0);

  // Half of the logarithms lie 0.1 away from the median.
  const double up = std::exp(0.1);
  const double down = std::exp(-0.1);
  const auto ten = report::drift_of({up, down, up, down, up, down, up, down, 1, 1});
  REQUIRE(ten);
  CHECK(ten->ratio == Approx(1));
  CHECK(ten->scatter == Approx(std::expm1(0.3 * 1.4826)));

  // The drift itself is no scatter, and what became of a third of the results is none either.
  const auto regressed = report::drift_of({1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 3, 3, 3});
  REQUIRE(regressed);
  CHECK(regressed->ratio == Approx(1.1));
  CHECK(regressed->scatter == Approx(0).margin(1e-12));
}
