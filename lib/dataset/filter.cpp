#include "dataset/filter.h"

#include <fnmatch.h>

#include <algorithm>

#include "util/clock.h"

namespace fib::dataset {

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return pattern == name || ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
         });
}

bool Filter::holds_definition(const Dataset& dataset, const std::string& name) const {
  if (!matches(definitions, name)) return false;
  if (op_types.empty()) return true;
  const auto found = dataset.definitions.find(name);
  return found != dataset.definitions.end() && matches(op_types, found->second.op_type);
}

bool Filter::holds_solution(const Dataset& dataset, const model::Solution& solution) const {
  return matches(solutions, solution.name) && matches(authors, solution.author) &&
         holds_definition(dataset, solution.definition);
}

bool Filter::may_hold(const Dataset& dataset, const std::string& definition,
                      const std::optional<std::string>& solution) const {
  if (!holds_definition(dataset, definition) || !matches(solutions, solution.value_or(""))) return false;
  if (authors.empty()) return true;
  const auto found = dataset.solutions.find(solution.value_or(""));
  return found != dataset.solutions.end() && matches(authors, found->second.author);
}

bool Filter::holds_trace(const Dataset& dataset, const model::Trace& trace) const {
  if (!may_hold(dataset, trace.definition, trace.solution)) return false;
  if (statuses.empty() && hardware.empty() && !since) return true;
  if (!trace.evaluation) return false;
  const auto& evaluation = *trace.evaluation;
  if (!matches(statuses, std::string(model::name_of(evaluation.status)))) return false;
  if (!matches(hardware, evaluation.environment.hardware)) return false;
  if (!since) return true;
  const auto time = util::parse_timestamp(evaluation.timestamp);
  return time && *time >= *since;
}

}  // namespace fib::dataset
