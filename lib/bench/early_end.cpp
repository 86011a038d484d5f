#include "bench/early_end.h"

#include <fmt/format.h>

namespace fib::bench {

EarlyEnd::EarlyEnd(const RunLimits& limits, const std::function<std::int64_t()>& now_ns)
    : fail_fast_(limits.fail_fast), max_time_s_(limits.max_time_s), now_ns_(now_ns), begin_ns_(now_ns()) {}

void EarlyEnd::finished(const PlannedEvaluation& planned, const model::Evaluation& evaluation) {
  if (!fail_fast_ || evaluation.status == model::Status::PASSED) return;
  const std::lock_guard lock(mutex_);
  if (cause_) return;
  cause_ = Cause::failure;
  first_failure_ =
      fmt::format("{} did not pass ({})", planned.solution->name, model::name_of(evaluation.status));
}

std::optional<EarlyEnd::Cause> EarlyEnd::cause() const {
  const std::lock_guard lock(mutex_);
  if (!cause_ && max_time_s_ && static_cast<double>(now_ns_() - begin_ns_) > *max_time_s_ * 1e9)
    cause_ = Cause::time;
  return cause_;
}

std::string EarlyEnd::text() const {
  const auto why = cause();
  if (!why) return "";
  return *why == Cause::failure ? "--fail-fast: " + first_failure_
                                : fmt::format("--max-time: {} s are over", *max_time_s_);
}

}  // namespace fib::bench
