#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "bench/calls.h"
#include "bench/clocks.h"
#include "bench/evaluation_parts.h"
#include "bench/expected_outputs.h"
#include "bench/measurement.h"

namespace fib::bench {

// Makes the calls of one evaluation, one solution's worker on one workload, in the order in which
// docs/measuring.md tells it: the first calls, which decide how many more are made and by which clock, then
// the trials, then what a rule wants besides. One thread, one use.
class EvaluationRun {
 public:
  // Attaches the workload's buffers and opens them at the reference. Throws Error where --clock asks for a
  // clock that the worker lacks, ReferenceError, worker::JudgeLost.
  explicit EvaluationRun(const EvaluationParts& parts);

  // Outcomes of the solution are in the Measurement. Throws ReferenceError, worker::JudgeLost, or Error for
  // inputs that cannot be made, for calls that work of others on the GPU made longer, and for too few calls
  // since the solution is slow where nobody times it.
  [[nodiscard]] Measurement run();

 private:
  void make_first_calls();
  void fit_plan(double call_s);
  [[nodiscard]] bool is_reference_dear() const;
  void make_trials();
  void make_enough_trials();
  void check_on_own_sets();
  [[nodiscard]] bool is_settled();
  [[nodiscard]] double enough_so_far() const;
  void make_calls(std::uint64_t wanted);
  void make_counted_call();
  void sort_calls();
  void conclude();
  void make_further_calls();
  [[nodiscard]] bool is_in_budget() const;
  // Whether the solution has not failed in this step; else the result says how.
  [[nodiscard]] bool succeeds(const std::function<void()>& step);
  void complete_result();

  const EvaluationParts parts_;
  Measurement result_;
  Clocks clocks_;
  ExpectedOutputs expected_;
  Calls calls_;
  std::vector<worker::CallTimes> counted_{};  // calls that count, in order
  std::set<std::size_t> looks_{};             // those to come, once the plan is fitted (looks.h)
  double enough_ = 0;                         // the share of is_settled(); 0: it was not asked
  std::int64_t begin_ns_ = 0;                 // when the first call began
  std::int64_t reference_ns_ = 0;             // waiting for expected outputs
  std::int64_t trials_ns_ = 0;                // of make_trials()
};

}  // namespace fib::bench
