#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/plan.h"
#include "model/trace.h"

namespace fib::bench {

// The trace of an evaluation that was planned.
[[nodiscard]] model::Trace trace_of(const PlannedEvaluation& planned, const model::Evaluation& evaluation);

// Appends each trace to its dataset at once, synced to disk.
class TraceSink {
 public:
  // `save` false: nothing is written. `warn` hears about files whose torn end was repaired.
  TraceSink(const std::vector<dataset::Dataset>& datasets, bool save,
            std::function<void(const std::string&)> warn)
      : datasets_(datasets), save_(save), warn_(std::move(warn)) {}

  // Before anything is built. Throws Error where a trace of the plan, or the run's record, could not be
  // appended as things are now.
  void expect_room(const Plan& plan) const;

  // Throws Error (dataset::DiskFull where that is why) when the trace cannot be written; the file is then as
  // it was.
  void append(const PlannedEvaluation& planned, const model::Evaluation& evaluation);

 private:
  const std::vector<dataset::Dataset>& datasets_;
  bool save_;
  std::function<void(const std::string&)> warn_;
};

}  // namespace fib::bench
