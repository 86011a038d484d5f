#include "read_history.h"

#include <map>

#include "dataset/standing.h"
#include "dataset/trace_stream.h"
#include "report_common.h"
#include "util/error.h"
#include "util/find.h"

namespace fib::cmd {
namespace {

// Of each run, by its id, the results that stand. Reads all traces once more, as rows that are kept together.
std::map<std::string, std::size_t> standing_by_run(const dataset::Dataset& catalog) {
  const auto rows = dataset::read_results(catalog);
  const dataset::StandingResults standing(catalog, rows);
  std::map<std::string, std::size_t> counts;
  for (const auto& row : rows) {
    const auto* run_id = row.evaluation ? row.evaluation->origin.run_id : nullptr;
    if (run_id != nullptr && standing.holds(row)) ++counts[*run_id];
  }
  return counts;
}

}  // namespace

report::DatasetHistory read_history(const std::string& root, bool strict) {
  std::vector<dataset::Problem> problems;
  std::vector<std::string> unreadable;
  const auto catalog = dataset::load_without_results(root, unreadable);
  auto records = dataset::read_runs(root, problems);
  report::HistoryBuilder builder(root, std::move(records), dataset::read_baselines(root, problems));
  dataset::for_each_trace(catalog, {}, unreadable, [&](const model::Trace& trace) { builder.add(trace); });
  for (const auto& problem : problems) {
    unreadable.push_back((catalog.root / dataset::to_string(problem)).string());
  }
  if (strict && !unreadable.empty()) {
    throw Error("{} of {} cannot be loaded:{}", unreadable.size() == 1 ? "a line or file" : "lines or files",
                root, dataset::first_lines(unreadable));
  }
  print_errors(unreadable, root);
  auto history = builder.finish();
  const auto counts = standing_by_run(catalog);
  for (auto& run : history.runs) {
    const auto* count = util::find_or_null(counts, run.record.run_id);
    run.standing = count != nullptr ? *count : 0;
  }
  return history;
}

}  // namespace fib::cmd
