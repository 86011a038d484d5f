#include "dataset/queries.h"

#include <algorithm>
#include <set>

#include "dataset/python_text.h"

namespace fib::dataset {
namespace {

const RowEvaluation* passed_evaluation(const TraceRow& trace) {
  return trace.passed() ? &*trace.evaluation : nullptr;
}

bool within(const RowEvaluation& evaluation, const ErrorLimits& limits) {
  return evaluation.correctness && evaluation.correctness->max_absolute_error <= limits.max_absolute &&
         evaluation.correctness->max_relative_error <= limits.max_relative;
}

bool ran_on(const TraceRow& trace, const std::optional<std::string>& hardware) {
  return !hardware || (trace.evaluation && *trace.evaluation->hardware == *hardware);
}

double speedup(const TraceRow& trace) {
  return trace.evaluation->performance ? trace.evaluation->performance->speedup_factor : 0;
}

}  // namespace

std::string QueryError::python_text() const {
  if (kind_ == Kind::value_error) return std::string("ValueError: ") + what();
  return "KeyError: " + python_repr(what());
}

bool has_axes(const model::Workload& workload, const model::AxisValues& axes) {
  return std::all_of(axes.begin(), axes.end(), [&](const auto& axis) {
    const model::Integer* value = model::find(workload.axes, axis.first);
    return value != nullptr && *value == model::Integer(axis.second);
  });
}

Queries::Queries(const Dataset& dataset) : dataset_(dataset) {
  for (const TraceRow& trace : dataset.traces) {
    by_definition_[*trace.definition].push_back(&trace);
    if (trace.solution != nullptr) by_solution_[*trace.solution].push_back(&trace);
    if (trace.evaluation) hardware_.emplace(*trace.evaluation->hardware, trace.evaluation->device);
  }
  for (const auto& [name, solution] : dataset.solutions) solutions_[solution.definition].push_back(&solution);
  const auto file = [&](const model::Solution* solution) {
    const auto found = dataset.solution_files.find(solution->name);
    return std::filesystem::path(found != dataset.solution_files.end() ? found->second : solution->name);
  };
  for (auto& [definition, solutions] : solutions_) {
    std::stable_sort(solutions.begin(), solutions.end(),
                     [&](const auto* left, const auto* right) { return file(left) < file(right); });
  }
}

std::vector<std::string> Queries::hardware() const {
  std::vector<std::string> names;
  for (const auto& [name, kind] : hardware_) names.push_back(name);
  return names;
}

std::vector<const TraceRow*> Queries::filter_traces(std::string_view definition,
                                                    const ErrorLimits& limits) const {
  std::vector<const TraceRow*> kept;
  const auto traces = by_definition_.find(definition);
  if (traces == by_definition_.end()) return kept;
  for (const TraceRow* trace : traces->second) {
    const RowEvaluation* evaluation = passed_evaluation(*trace);
    if (evaluation != nullptr && within(*evaluation, limits)) kept.push_back(trace);
  }
  return kept;
}

const TraceRow* Queries::best_trace(std::string_view definition, const model::AxisValues& axes,
                                    const std::optional<ErrorLimits>& limits,
                                    const std::optional<std::string>& hardware) const {
  const TraceRow* best = nullptr;
  const auto traces = by_definition_.find(definition);
  if (traces == by_definition_.end()) return best;
  for (const TraceRow* trace : traces->second) {
    const RowEvaluation* evaluation = passed_evaluation(*trace);
    if (evaluation == nullptr || (limits && !within(*evaluation, *limits))) continue;
    if (!has_axes(*trace->workload, axes) || !ran_on(*trace, hardware)) continue;
    if (best == nullptr || speedup(*trace) > speedup(*best)) best = trace;
  }
  return best;
}

}  // namespace fib::dataset
