#include <catch2/catch.hpp>

#include "bench/call_plan.h"

using fib::bench::CallPlan;
using fib::bench::fit_calls;

namespace {
const CallPlan kWanted{3, 10, 50, false};
}

TEST_CASE("a plan that fits stays as it is") {
  const auto plan = fit_calls(kWanted, 0.01, 5);
  CHECK(plan.total() == 180);
  CHECK_FALSE(plan.too_dear);
}

TEST_CASE("timed calls shrink first, warm-up calls with them in proportion") {
  const auto plan = fit_calls(kWanted, 0.1, 5);
  CHECK(plan.trials == 3);
  CHECK(plan.timed == 13);
  CHECK(plan.warmup == 3);
  CHECK(static_cast<double>(plan.total()) * 0.1 <= 5);
}

TEST_CASE("trials shrink next, and neither goes below three") {
  const auto plan = fit_calls({10, 0, 50, false}, 1, 12);
  CHECK(plan.timed == 3);
  CHECK(plan.trials == 4);
  const auto least = fit_calls({10, 5, 50, false}, 100, 1);
  CHECK(least.timed == 3);
  CHECK(least.trials == 3);
  CHECK(least.too_dear);
}

TEST_CASE("a plan that may end sooner has fewer trials first") {
  CallPlan wanted{15, 2, 10};
  wanted.width = 0.005;
  const auto plan = fit_calls(wanted, 0.05, 5);
  CHECK(plan.trials == 9);
  CHECK(plan.timed == 10);
  CHECK(plan.warmup == 2);
  CHECK(plan.may_end_sooner());
  const auto least = fit_calls(wanted, 0.2, 5);
  CHECK(least.trials == 3);
  CHECK(least.timed == 7);
  CHECK(least.warmup == 2);
  CHECK(least.least_trials() == 3);
  CHECK(fit_calls(wanted, 10, 5).too_dear);
}

TEST_CASE("each trial begins with warm-up calls") {
  CHECK(kWanted.calls_of(2) == 120);
  CHECK(kWanted.warmup_of(2) == 10);
  CHECK(kWanted.trial_of(0) == 0);
  CHECK(kWanted.trial_of(59) == 0);
  CHECK(kWanted.trial_of(60) == 1);
  CHECK(kWanted.trial_of(179) == 2);
}

TEST_CASE("a plan that may end sooner has warm-up calls before the first trial alone") {
  CallPlan plan{15, 2, 10};
  plan.width = 0.005;
  CHECK(plan.total() == 152);
  CHECK(plan.calls_of(0) == 0);
  CHECK(plan.calls_of(1) == 12);
  CHECK(plan.calls_of(3) == 32);
  CHECK(plan.warmup_of(0) == 2);
  CHECK(plan.warmup_of(1) == 0);
  for (const auto& [call, trial] :
       {std::pair{0, 0}, {1, 0}, {2, 0}, {11, 0}, {12, 1}, {21, 1}, {22, 2}, {151, 14}}) {
    CAPTURE(call);
    CHECK(plan.trial_of(call) == trial);
  }
}

TEST_CASE("what was wanted below three stays") {
  const auto plan = fit_calls({1, 0, 2, false}, 100, 1);
  CHECK(plan.trials == 1);
  CHECK(plan.timed == 2);
  CHECK(plan.too_dear);
}
