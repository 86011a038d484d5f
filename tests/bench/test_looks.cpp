#include <algorithm>
#include <catch2/catch.hpp>

#include "bench/looks.h"

using fib::bench::look_places;

TEST_CASE("every trial is looked at three times, at places that only the secret tells") {
  const fib::bench::CallPlan plan{3, 10, 50, false};
  const auto places = look_places("secret", "evaluation", plan);
  CHECK(places.size() == 9);
  for (std::size_t trial = 0; trial < 3; ++trial) {
    CHECK(std::count_if(places.begin(), places.end(), [&](auto place) { return place / 60 == trial; }) == 3);
  }
  CHECK(*places.begin() >= 2);
  CHECK(places == look_places("secret", "evaluation", plan));
  CHECK(places != look_places("another", "evaluation", plan));
  CHECK(places != look_places("secret", "another", plan));
}

TEST_CASE("over many secrets every place is looked at") {
  const fib::bench::CallPlan plan{1, 2, 10, false};
  std::set<std::size_t> all;
  for (int i = 0; i < 100; ++i) all.merge(look_places(std::to_string(i), "", plan));
  CHECK(all == std::set<std::size_t>{2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("trials that a quiet solution does not have are looked at once each") {
  fib::bench::CallPlan plan{15, 2, 10};
  plan.width = 0.005;
  const auto places = look_places("secret", "evaluation", plan);
  const auto looks_of = [&](int trial) {
    return std::count_if(places.begin(), places.end(), [&](auto place) {
      return plan.trial_of(static_cast<std::int64_t>(place)) == trial;
    });
  };
  for (int trial = 0; trial < 15; ++trial) CHECK(looks_of(trial) == (trial < 3 ? 3 : 1));
}

TEST_CASE("short trials have fewer looks") {
  CHECK(look_places("s", "", {2, 0, 2, false}) == std::set<std::size_t>{2, 3});
  CHECK(look_places("s", "", {1, 0, 1, false}).empty());
  CHECK(look_places("s", "", {0, 0, 0, false}).empty());
}
