#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "bench/plan.h"
#include "model/trace.h"

namespace fib::bench {

// What ends a run before its plan is done, and what it does not try.
struct RunLimits {
  bool fail_fast = false;              // no evaluation begins after one that did not pass
  std::optional<double> max_time_s{};  // no build and no evaluation begins when so much time is over
  std::size_t skip_after = 3;          // FailureCounts::most
};

// Says when no more may begin. Any thread.
class EarlyEnd {
 public:
  enum class Cause { failure, time };

  // The time begins now. `now_ns`: a clock that never goes back.
  EarlyEnd(const RunLimits& limits, const std::function<std::int64_t()>& now_ns);

  // An evaluation has ended.
  void finished(const PlannedEvaluation& planned, const model::Evaluation& evaluation);

  // Nothing: the run goes on. Once it has a cause it keeps it.
  [[nodiscard]] std::optional<Cause> cause() const;

  // "--fail-fast: my_norm did not pass (TIMEOUT)"; "--max-time: 60 s are over"; empty without a cause.
  [[nodiscard]] std::string text() const;

 private:
  bool fail_fast_;
  std::optional<double> max_time_s_;
  std::function<std::int64_t()> now_ns_;
  std::int64_t begin_ns_;
  mutable std::mutex mutex_;
  mutable std::optional<Cause> cause_;
  std::string first_failure_;  // "my_norm did not pass (TIMEOUT)"
};

}  // namespace fib::bench
