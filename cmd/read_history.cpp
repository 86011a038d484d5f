#include "read_history.h"

#include "dataset/standing.h"
#include "dataset/trace_stream.h"
#include "report_common.h"
#include "util/error.h"

namespace fib::cmd {

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
  // All traces once more, as rows that are kept together.
  const auto rows = dataset::read_results(catalog);
  report::count_standing(history, rows, dataset::StandingResults(catalog, rows));
  return history;
}

}  // namespace fib::cmd
