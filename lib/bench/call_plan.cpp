#include "bench/call_plan.h"

#include <algorithm>
#include <cmath>

namespace fib::bench {
namespace {

constexpr int kLeast = 3;

// Warm-up calls that go with `timed` calls when `wanted` has its own proportion of them.
int warmup_for(const CallPlan& wanted, int timed) {
  return static_cast<int>((std::int64_t{wanted.warmup} * timed + wanted.timed - 1) / wanted.timed);
}

}  // namespace

int CallPlan::least_trials() const { return may_end_sooner() ? std::min(kLeast, trials) : trials; }

std::int64_t CallPlan::calls_of(int first_trials) const {
  const std::int64_t with_warmup = may_end_sooner() ? std::min(first_trials, 1) : first_trials;
  return std::int64_t{first_trials} * timed + with_warmup * warmup;
}

int CallPlan::trial_of(std::int64_t call) const {
  const std::int64_t group = warmup_of(1) + timed;
  return static_cast<int>(std::max<std::int64_t>(call - (may_end_sooner() ? warmup : 0), 0) / group);
}

CallPlan fit_calls(const CallPlan& wanted, double call_s, double budget_s) {
  const auto affordable = [&](const CallPlan& plan) {
    return static_cast<double>(plan.total()) * call_s <= budget_s;
  };
  CallPlan plan = wanted;
  const int least_timed = std::min(kLeast, wanted.timed);
  const int least_trials = std::min(kLeast, wanted.trials);
  const auto leave_out_trials = [&] {
    while (!affordable(plan) && plan.trials > least_trials) --plan.trials;
  };
  if (wanted.may_end_sooner()) leave_out_trials();
  while (!affordable(plan) && plan.timed > least_timed) {
    --plan.timed;
    plan.warmup = warmup_for(wanted, plan.timed);
  }
  leave_out_trials();
  plan.too_dear = !affordable(plan);
  return plan;
}

}  // namespace fib::bench
