#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/measurement.h"
#include "bench/run.h"
#include "bench/sweep.h"
#include "util/git_head.h"

namespace fib::bench {

// A run's record in runs/runs.jsonl, which docs/reports.md describes: begun when the run begins, finished
// when it ends. It holds the run's secret, so nothing of it may be written before the last worker is gone.
class RunRecorder {
 public:
  // Reads the clock and the repositories of the datasets and of the current folder. Keeps references to the
  // first six, which must outlive this object.
  RunRecorder(const std::vector<dataset::Dataset>& datasets, const Plan& plan, const Sweep& sweep,
              const RunRequest& request, const Environment& environment, const RunIdentity& identity,
              std::string secret);

  // Appends one line to each dataset. Throws Error when one cannot be written.
  void write(const RunReport& report) const;

 private:
  [[nodiscard]] nlohmann::ordered_json record(const RunReport& report, std::size_t dataset) const;

  const std::vector<dataset::Dataset>& datasets_;
  const Plan& plan_;
  const Sweep& sweep_;
  const RunRequest& request_;
  const Environment& environment_;
  const RunIdentity& identity_;
  std::string secret_;
  std::string started_utc_;
  std::vector<std::optional<util::GitHead>> heads_;  // of the datasets
  std::optional<util::GitHead> head_;                // of the current folder
};

}  // namespace fib::bench
