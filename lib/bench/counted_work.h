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
// capability 9.0 or later also counts itself for how long it was at work, whoever gave it the work and
// whatever that process says: so much must be claimed. Its counters are read ten times a second, which takes
// longer than most evaluations: one evaluation of each solution is counted.
namespace fib::bench {

// Which evaluations of a plan are counted: of each solution, at each point of a sweep, the one whose workload
// comes first in an order that follows from the run's secret and the solution: none can tell another one.
// Pure.
class CountedEvaluations {
 public:
  CountedEvaluations(const std::vector<PlannedEvaluation>& planned, std::string_view secret);
  [[nodiscard]] bool contains(const PlannedEvaluation& planned) const {
    return chosen_.contains({planned.solution, planned.workload, planned.point});
  }

 private:
  std::set<std::tuple<const model::Solution*, const model::Workload*, std::size_t>> chosen_{};
};

// Where the evaluation is to be counted, runs host code and the device has counters: makes calls that no
// clock of the worker times while the device counts its work. Nothing else is part of the count: each call
// has private buffers of its own, which the judge fills before, with the caches flushed, and compares
// afterwards. Where calls return their outputs the worker copies them, and the judge times such copies.
// Leaves what was seen in `m.counted`, where the trials of `m` are known and believed. Throws Failed where
// uncounted_work() has something to say three times in a row; what Calls throws; NoVerdict where others keep
// the device busy or its memory full, and where calls vary so much that claimed_ms() says too little; Error
// where counters fail. One thread.
void count_work(const EvaluationParts& parts, ExpectedOutputs& expected, Calls& calls, Measurement& m);

// What the calls of these trials claim, the mean, in milliseconds: work that differs from call to call has a
// mean above its latency, a median. A claim counts up to twice the median, and the mean up to a quarter above
// it, since long claims in some calls shall not pay for work that the others hide. Pure; at least one call.
[[nodiscard]] double claimed_ms(const std::vector<std::vector<double>>& trials_ms);

// Whether the device was at work for longer than is claimed, its multiprocessors or its engine for kernels,
// or the counted calls took much longer than the timed ones (as where the host computes instead): as a
// sentence for the log. `wall_ms` is what the timed calls took by the coordinator's clock, the median. Pure.
[[nodiscard]] std::optional<std::string> uncounted_work(const CountedWork& counted, double wall_ms);

}  // namespace fib::bench
