#pragma once

#include <cstdint>

namespace fib::bench {

// How many calls one evaluation makes: `trials` groups of `warmup` + `timed`. With a width, `trials` is the
// most: it ends sooner where the latency is known within that share, or as well as it helps (interval.h).
struct CallPlan {
  int trials = 0;
  int warmup = 0;
  int timed = 0;
  bool too_dear = false;  // even the smallest plan costs more than the budget
  double width = 0;       // 0: all trials are made
  [[nodiscard]] bool may_end_sooner() const { return width > 0; }
  // Of those that are made whatever the interval is.
  [[nodiscard]] int least_trials() const;
  [[nodiscard]] std::int64_t total() const { return std::int64_t{trials} * (warmup + timed); }
};

// Fits the wanted plan into `budget_s` seconds when one call costs `call_s`: timed calls shrink first, and
// warm-up calls with them in proportion, then trials (of a plan that may end sooner trials shrink first);
// none of timed calls and trials below 3 (or below what was wanted).
[[nodiscard]] CallPlan fit_calls(const CallPlan& wanted, double call_s, double budget_s);

}  // namespace fib::bench
