#include "report/baseline_results.h"

#include <fmt/format.h>

#include <map>

#include "util/some_of.h"

namespace fib::report {
namespace {

bool is_of(const dataset::Dataset& dataset, const dataset::TraceRow& row, const std::string& author) {
  const auto solution = dataset.solutions.find(*row.solution);
  return solution != dataset.solutions.end() && solution->second.author == author;
}

}  // namespace

BaselineResults baseline_results(const dataset::Dataset& dataset, const std::vector<dataset::TraceRow>& rows,
                                 const std::string& baseline_author) {
  BaselineResults results;
  for (const dataset::TraceRow& row : rows) {
    if (row.solution != nullptr && row.passed() && is_of(dataset, row, baseline_author))
      results.emplace(*row.evaluation->hardware, *row.definition);
  }
  return results;
}

std::string missing_baseline_text(const dataset::Dataset& dataset, const std::vector<dataset::TraceRow>& rows,
                                  const BaselineResults& results, const std::string& baseline_author) {
  std::map<std::pair<std::string, model::DeviceKind>, std::string> baselines;  // by definition
  for (const auto& [name, solution] : dataset.solutions) {
    if (solution.author != baseline_author) continue;
    for (const auto kind : {model::DeviceKind::cpu, model::DeviceKind::cuda}) {
      if (model::may_run_on(solution, kind)) baselines.emplace(std::pair(solution.definition, kind), name);
    }
  }
  std::set<std::string> missing;
  for (const dataset::TraceRow& row : rows) {
    if (row.solution == nullptr || !row.evaluation) continue;
    const auto baseline = baselines.find(std::pair(*row.definition, row.evaluation->device));
    if (baseline != baselines.end() && !results.contains({*row.evaluation->hardware, *row.definition}))
      missing.insert(
          fmt::format("{} of {} on {}", baseline->second, *row.definition, *row.evaluation->hardware));
  }
  if (missing.empty()) return "";
  return fmt::format(
      "Nothing is compared with the baseline {}, of which no result passed and counts: make one, or choose "
      "another baseline.",
      util::some_of(missing));
}

}  // namespace fib::report
