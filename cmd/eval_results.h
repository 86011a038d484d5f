#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "eval_inputs.h"
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

// What identifies the workloads of `inputs`, with their files as they are now.
[[nodiscard]] std::set<std::string> works_of(const EvalInputs& inputs);

// Of traces of `inputs`, by solution, those that may be kept: with kept_workload()s, and without those whose
// files are not as they were when `works` was made.
[[nodiscard]] std::map<std::string, std::vector<model::Trace>> to_keep(
    std::map<std::string, std::vector<model::Trace>> traces, const EvalInputs& inputs,
    const std::set<std::string>& works);

// The tries of a solution of this name, kept in the cache whatever dataset it was tried on: of each workload,
// its files and device the last result, and where that failed, the last that passed too (of other files the
// latest few). Their workloads are kept_workload()s. Throws Error when they cannot be read or written.
[[nodiscard]] std::vector<model::Trace> read_tries(const std::string& definition,
                                                   const std::string& solution);
void add_tries(const std::string& definition, const std::string& solution,
               const std::vector<model::Trace>& traces);

}  // namespace fib::cmd
