#include "run_results.h"

#include <fmt/format.h>

#include "present/text.h"
#include "report/workload_text.h"

namespace fib::cmd {

std::string text_of(const util::MachineLoad& load) {
  return fmt::format(
      "the load of this machine is {:.1f}, above its {} cores: other programs make latencies longer and less "
      "certain; stop them, or wait",
      load.average, load.cores);
}

RunProgress::RunProgress(ProgressLine line, const std::vector<dataset::Dataset>& datasets)
    : Progress(line), datasets_(datasets), details_(datasets.size()) {
  for (const dataset::Dataset& dataset : datasets) earlier_.emplace_back(dataset);
}

void RunProgress::machine_is_busy(const util::MachineLoad& load) { warning(text_of(load)); }

void RunProgress::evaluation_finished(const bench::PlannedEvaluation& planned,
                                      const model::Evaluation& evaluation, std::size_t done,
                                      std::size_t total) {
  const std::size_t index = planned.dataset;
  report::Detail detail = report::make_detail(bench::trace_of(planned, evaluation), *datasets_[index].pool,
                                              report::KeepLogs::of_failures);
  const std::string text = report::result_text(detail, earlier_[index]);
  const std::string point = detail.sweep != nullptr ? " " + *detail.sweep : "";
  details_[index].push_back(std::move(detail));
  if (evaluation.status != model::Status::PASSED) {
    if (first_failure_.empty()) first_failure_ = planned.solution->name;
    failed_solutions_.insert(planned.solution->name);
  }
  // A build that failed has been reported once, not once a workload.
  const auto level = evaluation.status == model::Status::PASSED          ? spdlog::level::info
                     : evaluation.status == model::Status::COMPILE_ERROR ? spdlog::level::debug
                                                                         : spdlog::level::warn;
  log(level, fmt::format("[{}/{}] {} {}{}: {}", done, total, present::printable(planned.solution->name),
                         present::printable(report::workload_text(*planned.workload)),
                         present::printable(point), text));
}

std::string RunProgress::results(const present::TextStyle& style) const {
  std::string text;
  for (std::size_t i = 0; i < datasets_.size(); ++i) {
    const std::string one = report::render_run_results(datasets_[i], earlier_[i], details_[i], style);
    if (one.empty()) continue;
    if (!text.empty()) text += "\n";
    if (datasets_.size() > 1)
      text += fmt::format("Dataset {}\n\n", present::printable(datasets_[i].root.string()));
    text += one;
  }
  return text;
}

}  // namespace fib::cmd
