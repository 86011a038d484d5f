#include "dataset/named_runs.h"

#include <algorithm>

#include "dataset/baselines.h"
#include "dataset/run_order.h"
#include "dataset/runs.h"
#include "util/error.h"
#include "util/shell_word.h"

namespace fib::dataset {

std::optional<std::string> NamedRuns::find(const std::string& word) const {
  return find_run(ids, word, baselines);
}

NamedRuns named_runs(const std::filesystem::path& root, const std::vector<TraceRow>& rows,
                     std::vector<Problem>& problems) {
  RunOrder order;
  for (const RunRecord& record : read_runs(root, problems))
    order.add_record(record.run_id, record.started_utc);
  for (const TraceRow& row : rows) {
    if (row.evaluation && row.evaluation->origin.run_id != nullptr)
      order.add_trace(*row.evaluation->origin.run_id, row.evaluation->timestamp);
  }
  return {order.ids(), runs_by_name(read_baselines(root, problems))};
}

void name_runs(Filter& filter, const std::filesystem::path& root, const std::vector<TraceRow>& rows,
               std::vector<Problem>* problems) {
  if (!filter.run && filter.excluded_runs.empty()) return;
  const std::string history = "fib history --local " + util::shell_word(root.string());
  std::vector<Problem> ignored;
  const NamedRuns runs = named_runs(root, rows, problems != nullptr ? *problems : ignored);
  if (filter.run) {
    const auto id = runs.find(*filter.run);
    if (!id) throw Error("\"{}\" is no run of {}; to see all runs: {}", *filter.run, root.string(), history);
    filter.run = id;
  }
  for (std::string& word : filter.excluded_runs) {
    const bool is_glob = std::any_of(runs.ids.begin(), runs.ids.end(),
                                     [&](const std::string& id) { return matches({word}, id); });
    if (is_glob) continue;
    const auto id = runs.find(word);
    if (!id) throw Error("no trace is of a run \"{}\"; to see all runs: {}", word, history);
    word = *id;
  }
}

}  // namespace fib::dataset
