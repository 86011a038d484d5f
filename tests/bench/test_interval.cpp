#include <catch2/catch.hpp>
#include <cmath>

#include "bench/interval.h"

using fib::bench::enough_share;
using fib::bench::interval_of;

TEST_CASE("the interval is that of calls or of trials, whichever is wider") {
  // Calls differ, trials do not.
  const auto calls = interval_of({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, true, 1);
  CHECK(calls.trials_ms == 0);
  CHECK(calls.calls_ms == 1);
  CHECK(calls.own_ms() == 1);
  // Trials differ, their calls do not.
  const auto trials = interval_of({{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, true, 1);
  CHECK(trials.trials_ms == Approx(4.303 / std::sqrt(3)).epsilon(1e-3));
  CHECK(trials.own_ms() == trials.trials_ms);
  CHECK(trials.half_ms() == std::hypot(std::sqrt(2) * trials.own_ms(), trials.processes_ms));
}

TEST_CASE("one trial says nothing of what differs between trials") {
  const auto one = interval_of({{1, 2, 3}}, true, 1);
  CHECK(one.trials_ms == 0);
  CHECK(one.calls_ms == 1);
}

TEST_CASE("equal times are not more exact than processes are equal") {
  const auto small = interval_of({{0.002, 0.002}, {0.002, 0.002}}, true, 1);
  CHECK(small.own_ms() == 0);
  CHECK(small.half_ms() == 0.00035);
  CHECK(interval_of({{1, 1}, {1, 1}}, true, 1).half_ms() == 0.003);
  CHECK(interval_of({{1, 1}, {1, 1}}, false, 0).half_ms() == 0.12);
  CHECK(interval_of({{0.002, 0.002}}, false, 0).half_ms() == 0.002);
}

TEST_CASE("what lies between two kernels differs from process to process") {
  CHECK(interval_of({{0.02, 0.02}}, true, 7).half_ms() == Approx(0.00155));
  CHECK(interval_of({{0.02, 0.02}}, true, 0).half_ms() == 0.00035);  // nobody has counted
  CHECK(interval_of({{1, 1}}, true, 7).half_ms() == 0.003);
  // No more than there is time for.
  CHECK(interval_of({{0.005, 0.005}}, true, 1'000'000'000).half_ms() == Approx(0.00135));
}

TEST_CASE("a latency need not be known much better than processes are equal") {
  CHECK(enough_share(interval_of({{0.0035}}, true, 1), 0.0035, 0.005) == Approx(0.05));
  CHECK(enough_share(interval_of({{1}}, true, 1), 1, 0.005) == 0.005);
  CHECK(enough_share(interval_of({{1}}, true, 1), 1, 0.001) == Approx(0.0015));
  CHECK(enough_share(interval_of({{1}}, false, 0), 1, 0.005) == 0.06);
  CHECK(enough_share(interval_of({{1}}, false, 0), 1, 0.1) == 0.1);
}
