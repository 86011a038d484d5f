#include "bench/trace_sink.h"

#include "dataset/append.h"
#include "dataset/paths.h"

namespace fib::bench {

model::Trace trace_of(const PlannedEvaluation& planned, const model::Evaluation& evaluation) {
  model::Trace trace;
  trace.definition = planned.definition->name;
  trace.workload = *planned.workload;
  trace.solution = planned.solution->name;
  trace.evaluation = evaluation;
  return trace;
}

void TraceSink::append(const PlannedEvaluation& planned, const model::Evaluation& evaluation) {
  if (!save_) return;
  const auto& root = datasets_[planned.dataset].root;
  const auto file = dataset::traces_file(root, planned.solution->author, planned.definition->op_type,
                                         planned.definition->name);
  const auto report = dataset::append_lines(root, file, {model::to_json(trace_of(planned, evaluation))});
  if (report.torn_file) {
    warn_(fmt::format("{}: its last line was torn ({} bytes); moved to {}", file.string(), report.torn_bytes,
                      report.torn_file->string()));
  }
}

}  // namespace fib::bench
