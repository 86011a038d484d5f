#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bench/calls.h"
#include "bench/evaluation_parts.h"
#include "bench/expected_outputs.h"
#include "bench/measurement.h"

// Clocks of a GPU run in the process of the solution, whose native code can reach them. A device of compute
// capability 9.0 or later also counts itself for how long its multiprocessors were at work, whoever gave them
// the work and whatever that process says: so much must be claimed. Its counters are read ten times a second,
// which takes longer than most evaluations: one evaluation of each solution is counted.
namespace fib::bench {

// Which evaluations of a plan are counted: of each solution, at each point of a sweep, the one whose workload
// comes first in an order that follows from the run's secret. Solutions of one definition are counted on the
// same workload, where they run on it. Pure.
class CountedEvaluations {
 public:
  CountedEvaluations(const std::vector<PlannedEvaluation>& planned, std::string_view secret);
  [[nodiscard]] bool contains(const PlannedEvaluation& planned) const {
    return chosen_.contains({planned.solution, planned.workload, planned.point});
  }

 private:
  std::set<std::tuple<const model::Solution*, const model::Workload*, std::size_t>> chosen_{};
};

// Where the evaluation is to be counted, runs host code and the device has counters: makes calls as all
// others while the device counts its work, and what of it is fib's own, where that is not known of the
// workload yet. Leaves what was seen in `m.counted`, where the trials of `m` are known and believed. Throws
// Failed where uncounted_work() has something to say three times in a row; what Calls throws; NoVerdict where
// others keep the device busy; Error where its counters fail. One thread.
void count_work(const EvaluationParts& parts, ExpectedOutputs& expected, Calls& calls, worker::Clock clock,
                Measurement& m);

// What the calls claim, the mean, in milliseconds; of a claim that is far above the others only a part. There
// is one at least.
[[nodiscard]] double claimed_ms(const CountedWork& counted);

// Whether the device was at work for longer than the counted calls claim, or these took longer than those
// that are timed: as a sentence for the log.
[[nodiscard]] std::optional<std::string> uncounted_work(const CountedWork& counted, double latency_ms);

}  // namespace fib::bench
