#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "eval/statistics.h"
#include "util/error.h"

namespace {

using namespace fib::eval;

TEST_CASE("the median is the middle value, or the mean of the two middle ones, in any order") {
  CHECK(median({7}) == 7);
  CHECK(median({5, 1, 3}) == 3);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({2, 2, 2, 9}) == 2);
  CHECK(median({-1, 1}) == 0);
  const double huge = std::numeric_limits<double>::max();
  CHECK(median({huge, huge}) == huge);
}

TEST_CASE("the median's interval lies between ranks, whatever the distribution") {
  CHECK(median_half_width({7}) == 0);
  CHECK(median_half_width({1, 9}) == 4);
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  // Ranks 40 and 61 of 100 (Hoefler and Belli, table of ranks for 95 %).
  CHECK(median_half_width(values) == 10.5);
  values.back() = -1e9;  // outliers beyond the ranks change nothing
  CHECK(median_half_width(values) == 10.5);
}

TEST_CASE("the mean's interval is Student's") {
  // sd 1, t(2) = 4.303.
  CHECK(mean_half_width({1, 2, 3}) == Approx(4.303 / std::sqrt(3)).epsilon(1e-3));
  CHECK(mean_half_width({5, 5}) == 0);
  std::vector<double> values(31, 0);
  for (std::size_t i = 0; i < 15; ++i) {
    values[2 * i] = 1;
    values[2 * i + 1] = -1;
  }
  // Thirty of distance 1 around 0 and one at 0: sd 1, t(30) = 2.042.
  CHECK(mean_half_width(values) == Approx(2.042 / std::sqrt(31)).epsilon(1e-3));
  CHECK_THROWS_AS(mean_half_width({1}), fib::Error);
}

TEST_CASE("quantiles interpolate between sorted values") {
  const std::vector<double> values = {40, 10, 30, 20, 50};
  CHECK(quantile(values, 0) == 10);
  CHECK(quantile(values, 0.25) == 20);
  CHECK(quantile(values, 0.5) == 30);
  CHECK(quantile(values, 1) == 50);
  CHECK(quantile(values, 0.1) == Approx(14));
  CHECK(quantile(values, 0.95) == Approx(48));
  CHECK(quantile({3}, 0.7) == 3);
  CHECK(quantile({1, 2}, 0.5) == median({1, 2}));
}

TEST_CASE("the 21 quantiles go from the smallest to the largest value in steps of 5 %") {
  std::vector<double> values;
  for (int i = 100; i >= 0; --i) values.push_back(i);
  const std::vector<double> quantiles = quantiles21(values);
  REQUIRE(quantiles.size() == 21);
  for (std::size_t i = 0; i < 21; ++i) CHECK(quantiles[i] == Approx(static_cast<double>(i) * 5));
  CHECK(quantiles21({4, 4}) == std::vector<double>(21, 4.0));
  const std::vector<double> few = quantiles21({9, 1, 5});
  CHECK(std::is_sorted(few.begin(), few.end()));
  CHECK(few.front() == 1);
  CHECK(few[10] == 5);
  CHECK(few.back() == 9);
}

TEST_CASE("the mean is the sum over the count") {
  CHECK(mean({2}) == 2);
  CHECK(mean({1, 2, 6}) == 3);
}

TEST_CASE("the coefficient of variation is the sample's standard deviation over its mean") {
  CHECK(coefficient_of_variation({2, 4, 4, 4, 5, 5, 7, 9}) == Approx(std::sqrt(32.0 / 7) / 5));
  CHECK(coefficient_of_variation({3, 3, 3}) == 0);
  CHECK(coefficient_of_variation({3}) == 0);
  CHECK(coefficient_of_variation({-1, 1}) == 0);
}

TEST_CASE("an empty sample and a quantile outside 0 to 1 are errors") {
  CHECK_THROWS_AS(mean({}), fib::Error);
  CHECK_THROWS_AS(median({}), fib::Error);
  CHECK_THROWS_AS(quantile({}, 0.5), fib::Error);
  CHECK_THROWS_AS(quantiles21({}), fib::Error);
  CHECK_THROWS_AS(coefficient_of_variation({}), fib::Error);
  CHECK_THROWS_AS(quantile({1, 2}, 1.01), fib::Error);
  CHECK_THROWS_AS(quantile({1, 2}, -0.01), fib::Error);
  CHECK_THROWS_AS(quantile({1, 2}, std::nan("")), fib::Error);
}

}  // namespace
