#include "bench/failure_counts.h"

#include <fmt/format.h>

namespace fib::bench {

using model::Status;

void FailureCounts::add(const PlannedEvaluation& planned, const Measurement& measurement) {
  if (most_ == 0 || measurement.status == Status::INCORRECT_NUMERICAL) return;
  const std::lock_guard lock(mutex_);
  const std::pair key(planned.solution, planned.point);
  if (measurement.status == Status::PASSED) {
    failures_.erase(key);
    return;
  }
  Failures& failures = failures_[key];
  failures.count += measurement.status == Status::TIMEOUT ? most_ : 1;
  failures.status = measurement.status;
  failures.note = measurement.note.substr(0, measurement.note.find('\n'));
  failures.failure = measurement.failure;
}

std::optional<Measurement> FailureCounts::skipped(const PlannedEvaluation& planned) const {
  const std::lock_guard lock(mutex_);
  const auto found = failures_.find({planned.solution, planned.point});
  if (found == failures_.end() || found->second.count < most_) return std::nullopt;
  const Failures& failures = found->second;
  Measurement measurement;
  measurement.status = failures.status;
  measurement.note = fmt::format(
      "Solution skipped after {}. Last error: {}\n",
      failures.status == Status::TIMEOUT ? "a timeout" : fmt::format("{} failures", failures.count),
      failures.note);
  if (failures.failure) {
    measurement.failure = FailureFacts{failures.failure->code};
    measurement.failure->skipped_after = failures.count;
  }
  return measurement;
}

}  // namespace fib::bench
