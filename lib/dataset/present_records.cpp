#include "dataset/present_records.h"

#include <algorithm>

#include "model/solution.h"

namespace fib::dataset {
namespace {

template <typename Records>
bool differs(const std::string* measured, const std::string& name, const Records& records,
             std::unordered_map<std::string, std::string>& hashes) {
  const auto present = records.find(name);
  if (measured == nullptr || present == records.end()) return false;
  std::string& hash = hashes[name];
  if (hash.empty()) hash = model::content_sha256(present->second);
  return *measured != hash;
}

}  // namespace

bool PresentRecords::has_solution(const TraceRow& row) const {
  return dataset_.solutions.contains(*row.solution);
}

bool PresentRecords::has_workload(const TraceRow& row) const {
  const auto found = dataset_.workloads.find(*row.definition);
  return found != dataset_.workloads.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const model::Workload& workload) { return workload.uuid == row.workload->uuid; });
}

bool PresentRecords::is_of_other_source(const TraceRow& row) {
  return differs(row.evaluation->origin.solution_sha256, *row.solution, dataset_.solutions, solutions_);
}

bool PresentRecords::is_of_other_definition(const TraceRow& row) {
  return differs(row.evaluation->origin.definition_sha256, *row.definition, dataset_.definitions,
                 definitions_);
}

}  // namespace fib::dataset
