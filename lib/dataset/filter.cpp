#include "dataset/filter.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "dataset/standing.h"
#include "model/measurement_record.h"
#include "util/clock.h"

namespace fib::dataset {
namespace {

bool is_excluded(const std::vector<std::string>& patterns, const std::string& name) {
  return !patterns.empty() && matches(patterns, name);
}

}  // namespace

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return pattern == name || ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
         });
}

bool Filter::holds_definition(const Dataset& dataset, const std::string& name) const {
  if (!matches(definitions, name) || is_excluded(excluded_definitions, name)) return false;
  if (op_types.empty()) return true;
  const auto found = dataset.definitions.find(name);
  return found != dataset.definitions.end() && matches(op_types, found->second.op_type);
}

bool Filter::holds_solution(const Dataset& dataset, const model::Solution& solution) const {
  return matches(solutions, solution.name) && !is_excluded(excluded_solutions, solution.name) &&
         matches(authors, solution.author) && holds_definition(dataset, solution.definition);
}

bool Filter::holds_axes(const Dataset& dataset, const std::string& definition,
                        const model::Workload& workload) const {
  if (conditions.empty()) return true;
  const auto found = dataset.definitions.find(definition);
  const auto size_of = [&](const std::string& axis) -> std::optional<std::int64_t> {
    const model::Integer* size = model::find(workload.axes, axis);
    if (size == nullptr && found != dataset.definitions.end()) {
      const model::Axis* constant = model::find(found->second.axes, axis);
      if (constant != nullptr && constant->value) size = &*constant->value;
    }
    return size != nullptr && size->fits() ? std::optional(size->value) : std::nullopt;
  };
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const AxisCondition& condition) { return condition.holds(size_of); });
}

bool Filter::holds_workload(const Dataset& dataset, const std::string& definition,
                            const model::Workload& workload) const {
  return holds_definition(dataset, definition) && matches_uuid(workloads, workload.uuid) &&
         holds_axes(dataset, definition, workload);
}

bool Filter::may_hold(const Dataset& dataset, const std::string& definition,
                      const std::string* solution) const {
  const std::string name = solution != nullptr ? *solution : "";
  if (!holds_definition(dataset, definition) || !matches(solutions, name)) return false;
  if (solution != nullptr && is_excluded(excluded_solutions, name)) return false;
  if (authors.empty()) return true;
  const auto found = dataset.solutions.find(name);
  return found != dataset.solutions.end() && matches(authors, found->second.author);
}

bool matches_status(const std::vector<std::string>& patterns, model::Status status) {
  return matches(patterns, std::string(model::name_of(status)));
}

bool matches_uuid(const std::vector<std::string>& patterns, const std::string& uuid) {
  constexpr std::size_t kFewest = 4;
  return matches(patterns, uuid) ||
         std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return pattern.size() >= kFewest && uuid.starts_with(pattern);
         });
}

bool Filter::is_empty() const {
  return definitions.empty() && solutions.empty() && authors.empty() && op_types.empty() &&
         workloads.empty() && excluded_definitions.empty() && excluded_solutions.empty() &&
         conditions.empty() && statuses.empty() && hardware.empty() && !since && excluded_runs.empty() &&
         !run;
}

bool Filter::excludes_run(const std::string* run_id) const {
  if (run && (run_id == nullptr || *run_id != *run)) return true;
  return run_id != nullptr && !excluded_runs.empty() && matches(excluded_runs, *run_id);
}

bool Filter::holds_without_result() const {
  return statuses.empty() && hardware.empty() && !since && !run && standing == nullptr;
}

bool Filter::holds_evaluation(model::Status status, const std::string& ran_on,
                              const std::string& timestamp) const {
  if (!matches_status(statuses, status) || !matches(hardware, ran_on)) return false;
  if (!since) return true;
  const auto time = util::parse_timestamp(timestamp);
  return time && *time >= *since;
}

bool Filter::holds_trace(const Dataset& dataset, const model::Trace& trace) const {
  if (!may_hold(dataset, trace.definition, trace.solution ? &*trace.solution : nullptr)) return false;
  if (!matches_uuid(workloads, trace.workload.uuid) || !holds_axes(dataset, trace.definition, trace.workload))
    return false;
  const auto& evaluation = trace.evaluation;
  if (!evaluation) return holds_without_result();
  if (!holds_evaluation(evaluation->status, evaluation->environment.hardware, evaluation->timestamp))
    return false;
  if (!excluded_runs.empty() || run) {
    const auto run_id = model::measurement_record(*evaluation).run_id;
    if (excludes_run(run_id ? &*run_id : nullptr)) return false;
  }
  return standing == nullptr || standing->holds(dataset.pool->row(trace));
}

bool Filter::holds_trace(const Dataset& dataset, const TraceRow& trace) const {
  if (!may_hold(dataset, *trace.definition, trace.solution)) return false;
  if (!matches_uuid(workloads, trace.workload->uuid) ||
      !holds_axes(dataset, *trace.definition, *trace.workload))
    return false;
  const auto& evaluation = trace.evaluation;
  if (!evaluation) return holds_without_result();
  if (!holds_evaluation(evaluation->status, *evaluation->hardware, evaluation->timestamp)) return false;
  if (excludes_run(evaluation->origin.run_id)) return false;
  return standing == nullptr || standing->holds(trace);
}

void restrict_to(Dataset& dataset, const Filter& filter, const std::string& yardstick) {
  if (filter.is_empty()) return;
  Filter of_yardstick = filter;
  of_yardstick.solutions.clear();
  of_yardstick.authors = {yardstick};
  const bool has_yardstick = !yardstick.empty();
  std::erase_if(dataset.traces, [&](const TraceRow& trace) {
    return !filter.holds_trace(dataset, trace) &&
           !(has_yardstick && of_yardstick.holds_trace(dataset, trace));
  });
  std::erase_if(dataset.solutions, [&](const auto& entry) {
    return !filter.holds_solution(dataset, entry.second) &&
           !(has_yardstick && of_yardstick.holds_solution(dataset, entry.second));
  });
  for (auto& [definition, workloads] : dataset.workloads) {
    std::erase_if(workloads, [&, &name = definition](const model::Workload& workload) {
      return !filter.holds_workload(dataset, name, workload);
    });
  }
  std::erase_if(dataset.workloads,
                [&](const auto& entry) { return !filter.holds_definition(dataset, entry.first); });
  std::set<std::string> gone;
  for (const auto& [name, definition] : dataset.definitions) {
    if (!filter.holds_definition(dataset, name)) gone.insert(name);
  }
  for (const std::string& name : gone) dataset.definitions.erase(name);
}

}  // namespace fib::dataset
