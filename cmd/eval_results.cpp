#include "eval_results.h"

#include "kept_traces.h"

namespace fib::cmd {
namespace {

constexpr const char* kFolder = "tries";

}  // namespace

void EvalProgress::evaluation_finished(const bench::PlannedEvaluation& planned,
                                       const model::Evaluation& evaluation, std::size_t /*done*/,
                                       std::size_t /*total*/) {
  traces_[planned.solution->name].push_back(bench::trace_of(planned, evaluation));
}

std::vector<model::Trace> read_tries(const std::string& definition, const std::string& solution) {
  return read_kept(file_of_kept(kFolder, {definition, solution}));
}

void add_tries(const std::string& definition, const std::string& solution, std::vector<model::Trace> traces,
               const std::filesystem::path& root) {
  std::vector<model::Trace> kept = read_tries(definition, solution);
  for (model::Trace& trace : traces) {
    std::erase_if(kept, [&](const model::Trace& old) {
      const bool is_same = old.workload.uuid == trace.workload.uuid &&
                           old.evaluation->environment.hardware == trace.evaluation->environment.hardware;
      return is_same && (trace.passed() || !old.passed());
    });
    trace.workload = kept_workload(trace.workload, definition, root);
    kept.push_back(std::move(trace));
  }
  write_kept(file_of_kept(kFolder, {definition, solution}), kept);
}

}  // namespace fib::cmd
