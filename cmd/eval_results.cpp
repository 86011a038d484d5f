#include "eval_results.h"

#include "kept_traces.h"

namespace fib::cmd {
namespace {

constexpr const char* kFolder = "tries";

std::string work_of(const model::Workload& kept, const std::string& definition) {
  return definition + '\n' + model::work_key(kept);
}

}  // namespace

void EvalProgress::evaluation_finished(const bench::PlannedEvaluation& planned,
                                       const model::Evaluation& evaluation, std::size_t /*done*/,
                                       std::size_t /*total*/) {
  traces_[planned.solution->name].push_back(bench::trace_of(planned, evaluation));
}

std::set<std::string> works_of(const EvalInputs& inputs) {
  std::set<std::string> works;
  for (const dataset::Dataset& dataset : inputs.datasets) {
    for (const auto& [definition, workloads] : dataset.workloads) {
      for (const model::Workload& workload : workloads)
        works.insert(work_of(kept_workload(workload, definition, dataset.root), definition));
    }
  }
  return works;
}

std::map<std::string, std::vector<model::Trace>> to_keep(
    std::map<std::string, std::vector<model::Trace>> traces, const EvalInputs& inputs,
    const std::set<std::string>& works) {
  for (auto& [solution, own] : traces) {
    const auto& root = dataset_of(inputs, solution).root;
    for (model::Trace& trace : own) trace.workload = kept_workload(trace.workload, trace.definition, root);
    std::erase_if(own, [&](const model::Trace& trace) {
      return !works.contains(work_of(trace.workload, trace.definition));
    });
  }
  return traces;
}

std::vector<model::Trace> read_tries(const std::string& definition, const std::string& solution) {
  return read_kept(file_of_kept(kFolder, {definition, solution}));
}

void add_tries(const std::string& definition, const std::string& solution,
               const std::vector<model::Trace>& traces) {
  std::vector<model::Trace> kept = read_tries(definition, solution);
  for (const model::Trace& trace : traces) {
    std::erase_if(kept, [&](const model::Trace& old) {
      return are_of_one_work(old, trace) && (trace.passed() || !old.passed());
    });
    kept.push_back(trace);
    drop_old(kept);
  }
  write_kept(file_of_kept(kFolder, {definition, solution}), kept);
}

}  // namespace fib::cmd
