#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "bench/plan.h"
#include "dataset/load.h"
#include "model/trace.h"
#include "progress.h"
#include "report/run_results.h"

namespace fib::cmd {

// The warning that other programs have more to do than the machine has cores.
[[nodiscard]] std::string text_of(const util::MachineLoad& load);

// Progress of `fib run`: a line for every evaluation, and its results, which are told at the end.
class RunProgress : public Progress {
 public:
  // `datasets` are as they were before the run, with their traces; they must outlive this object.
  RunProgress(ProgressLine line, const std::vector<dataset::Dataset>& datasets);

  void machine_is_busy(const util::MachineLoad& load) override;
  void evaluation_finished(const bench::PlannedEvaluation& planned, const model::Evaluation& evaluation,
                           std::size_t done, std::size_t total) override;

  // The solution of the first evaluation that did not pass; "" when all did.
  [[nodiscard]] const std::string& first_failure() const { return first_failure_; }
  // Those of all evaluations that did not pass.
  [[nodiscard]] const std::set<std::string>& failed_solutions() const { return failed_solutions_; }

  // The tables of all datasets; "" when nothing was evaluated. Only when the run has ended.
  [[nodiscard]] std::string results(const present::TextStyle& style) const;

 private:
  const std::vector<dataset::Dataset>& datasets_;
  std::vector<report::EarlierResults> earlier_;  // one a dataset
  std::string first_failure_;
  std::set<std::string> failed_solutions_;
  std::vector<std::vector<report::Detail>> details_;  // of each dataset, in the order in which they ended
};

}  // namespace fib::cmd
