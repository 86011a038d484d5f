#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "bench/measurement.h"
#include "bench/plan.h"

namespace fib::bench {

// The format's rule for solutions that fail again and again: a RUNTIME_ERROR, INCORRECT_SHAPE or
// INCORRECT_DTYPE counts one, a TIMEOUT as many as it takes, a PASSED forgets them, INCORRECT_NUMERICAL
// changes nothing. A solution with `most` of them is not run on further workloads: these get its last status.
// Points of a sweep count apart. Any thread.
class FailureCounts {
 public:
  // 0: every evaluation is made.
  explicit FailureCounts(std::size_t most) : most_(most) {}

  // What was measured, by a worker that ran.
  void add(const PlannedEvaluation& planned, const Measurement& measurement);

  // What is reported in place of another try; nothing: it is to be tried.
  [[nodiscard]] std::optional<Measurement> skipped(const PlannedEvaluation& planned) const;

 private:
  struct Failures {
    std::size_t count = 0;
    model::Status status{};
    std::string note;  // the last one's first line
    std::optional<FailureFacts> failure;
  };

  std::size_t most_;
  mutable std::mutex mutex_;
  std::map<std::pair<const model::Solution*, std::size_t>, Failures> failures_;
};

}  // namespace fib::bench
