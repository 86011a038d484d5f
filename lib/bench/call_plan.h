#pragma once

#include <cstdint>

namespace fib::bench {

// How many calls one evaluation makes: `trials` groups of `warmup` + `timed`.
struct CallPlan {
  int trials = 0;
  int warmup = 0;
  int timed = 0;
  bool too_dear = false;  // even the smallest plan costs more than the budget
  [[nodiscard]] std::int64_t total() const { return std::int64_t{trials} * (warmup + timed); }
};

// Fits the wanted plan into `budget_s` seconds when one call costs `call_s`: timed calls shrink first, and
// warm-up calls with them in proportion, then trials; none of timed calls and trials below 3 (or below what
// was wanted).
[[nodiscard]] CallPlan fit_calls(const CallPlan& wanted, double call_s, double budget_s);

}  // namespace fib::bench
