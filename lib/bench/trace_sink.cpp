#include "bench/trace_sink.h"

#include <set>
#include <utility>

#include "dataset/append.h"
#include "dataset/paths.h"

namespace fib::bench {
namespace {

std::filesystem::path traces_file_of(const std::filesystem::path& root, const PlannedEvaluation& planned) {
  return dataset::traces_file(root, planned.solution->author, planned.definition->op_type,
                              planned.definition->name);
}

}  // namespace

model::Trace trace_of(const PlannedEvaluation& planned, const model::Evaluation& evaluation) {
  model::Trace trace;
  trace.definition = planned.definition->name;
  trace.workload = *planned.workload;
  trace.solution = planned.solution->name;
  trace.evaluation = evaluation;
  return trace;
}

void TraceSink::expect_room(const Plan& plan) const {
  if (!save_) return;
  std::set<std::filesystem::path> files;
  const model::Solution* last = nullptr;  // its workloads stand together
  for (const PlannedEvaluation& planned : plan.evaluations) {
    if (std::exchange(last, planned.solution) == planned.solution) continue;
    const auto& root = datasets_[planned.dataset].root;
    const auto file = traces_file_of(root, planned);
    if (files.insert(file).second) dataset::expect_appendable(root, file);
  }
  for (const auto& dataset : datasets_)
    dataset::expect_appendable(dataset.root, dataset::runs_file(dataset.root));
}

void TraceSink::append(const PlannedEvaluation& planned, const model::Evaluation& evaluation) {
  if (!save_) return;
  const auto& root = datasets_[planned.dataset].root;
  const auto file = traces_file_of(root, planned);
  const auto report = dataset::append_lines(root, file, {model::to_json(trace_of(planned, evaluation))});
  if (report.torn_file) {
    warn_(fmt::format("{}: its last line was torn ({} bytes); moved to {}", file.string(), report.torn_bytes,
                      report.torn_file->string()));
  }
}

}  // namespace fib::bench
