#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/build_pool.h"
#include "bench/earlier_reference.h"
#include "bench/early_end.h"
#include "bench/failure_counts.h"
#include "bench/held_results.h"
#include "bench/jit_cache.h"
#include "bench/log_budget.h"
#include "bench/measurement.h"
#include "bench/session.h"
#include "bench/sweep.h"
#include "dataset/load.h"

namespace fib::bench {

// What the lanes of one run share. References must outlive it.
struct RunState {
  Session& session;
  const std::vector<dataset::Dataset>& datasets;
  const Sweep& sweep;
  const std::string& secret;    // the run's
  const RunIdentity& identity;  // but for the device
  const std::map<BuildKey, BuildOutcome>& builds;
  JitCache& jit_cache;
  const EarlyEnd& early_end;
  FailureCounts& failures;
  LogBudget& logs;
  CountWork count_work = CountWork::kOne;
  const EarlierReferences& earlier_references;

  // Whether no evaluation may begin. Any thread.
  [[nodiscard]] bool stops() const { return session.interrupted() || early_end.cause(); }

  // The time of its reference, where it is known; any thread.
  [[nodiscard]] std::optional<model::RecordedReference> earlier_reference(
      const PlannedEvaluation& planned) const {
    const auto found = earlier_references.find({planned.definition->name, planned.workload->uuid});
    return found != earlier_references.end() ? std::optional(found->second) : std::nullopt;
  }

  // What became of a solution's build; null: it was not tried.
  [[nodiscard]] const BuildOutcome* build_of(const model::Solution& solution,
                                             const LaneDevice& device) const {
    const auto found = builds.find({&solution, device.architecture});
    return found != builds.end() ? &found->second : nullptr;
  }
};

}  // namespace fib::bench
