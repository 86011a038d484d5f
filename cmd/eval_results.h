#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/trace.h"
#include "progress.h"

namespace fib::cmd {

// What an evaluation without a dataset gives: its traces, kept in memory. Failures are told at the end.
class EvalProgress : public Progress {
 public:
  explicit EvalProgress(ProgressLine line) : Progress(line) {}

  void evaluation_finished(const bench::PlannedEvaluation& planned, const model::Evaluation& evaluation,
                           std::size_t done, std::size_t total) override;

  // By solution, in the order in which they ended.
  [[nodiscard]] const std::map<std::string, std::vector<model::Trace>>& traces() const { return traces_; }

 private:
  std::map<std::string, std::vector<model::Trace>> traces_;
};

// The tries of a solution of this name, kept in the cache whatever dataset it was tried on: of each workload
// and hardware the last result, and where that failed, the last that passed too. Throws Error when they
// cannot be read or written.
// Their workloads are kept_workload()s; those of `traces` become such: `root` is their dataset's.
[[nodiscard]] std::vector<model::Trace> read_tries(const std::string& definition,
                                                   const std::string& solution);
void add_tries(const std::string& definition, const std::string& solution, std::vector<model::Trace> traces,
               const std::filesystem::path& root);

}  // namespace fib::cmd
