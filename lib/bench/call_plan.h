#pragma once

#include <cstdint>

namespace fib::bench {

// How many calls one evaluation makes: `trials` groups of `timed`, each after `warmup` calls that do not
// count. With a width, `trials` is the most: it ends sooner where the latency is known within that share, or
// as well as it helps (interval.h), and warm-up calls are made before the first trial alone: nothing cools
// down between two trials.
struct CallPlan {
  int trials = 0;
  int warmup = 0;
  int timed = 0;
  bool too_dear = false;  // even the smallest plan costs more than the budget
  double width = 0;       // 0: all trials are made
  [[nodiscard]] bool may_end_sooner() const { return width > 0; }
  // Of those that are made whatever the interval is.
  [[nodiscard]] int least_trials() const;
  // Calls of a trial, numbered from 0, that do not count; they come first.
  [[nodiscard]] int warmup_of(int trial) const { return may_end_sooner() && trial > 0 ? 0 : warmup; }
  // All calls of the first so many trials.
  [[nodiscard]] std::int64_t calls_of(int first_trials) const;
  [[nodiscard]] std::int64_t total() const { return calls_of(trials); }
  // In which trial a call is, numbered from 0 over all trials, whether it counts there or not. `calls_of` of
  // this trial is at most `call`, of the next one above it; trials beyond the plan's go on in the same way.
  [[nodiscard]] int trial_of(std::int64_t call) const;
};

// Fits the wanted plan into `budget_s` seconds when one call costs `call_s`: timed calls shrink first, and
// warm-up calls with them in proportion, then trials (of a plan that may end sooner trials shrink first);
// none of timed calls and trials below 3 (or below what was wanted).
[[nodiscard]] CallPlan fit_calls(const CallPlan& wanted, double call_s, double budget_s);

}  // namespace fib::bench
