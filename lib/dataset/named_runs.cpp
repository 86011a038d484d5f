#include "dataset/named_runs.h"

#include "dataset/baselines.h"
#include "dataset/run_order.h"
#include "dataset/runs.h"

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

}  // namespace fib::dataset
