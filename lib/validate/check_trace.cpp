#include <fmt/format.h>

#include "validate/checks.h"

namespace fib::validate {
namespace {

std::set<std::string> parsed_solutions(const Subject& subject) {
  std::set<std::string> names;
  for (const ScannedSolution* solution : subject.solutions) {
    if (solution->solution) names.insert(solution->name);
  }
  return names;
}

void records(const Subject& subject, const ScannedRecords& file, const std::set<std::string>& solutions,
             Messages& messages) {
  for (const Record& record : file.records) {
    const Place place{file.file, record.line};
    const model::Trace& trace = record.trace;
    if (trace.definition != subject.name()) {
      error(messages, place,
            fmt::format("{}: trace definition '{}' != '{}'", file.author, trace.definition, subject.name()));
      return;
    }
    if (!trace.solution || !trace.evaluation) {
      error(
          messages, place,
          fmt::format("{}: trace entry {} missing solution or evaluation", file.author, trace.workload.uuid));
    } else if (!solutions.contains(*trace.solution)) {
      error(messages, place,
            fmt::format("{}: trace references unknown solution '{}'", file.author, *trace.solution));
    }
  }
}

void missing_workloads(const ScannedRecords& file, const std::set<std::string>& uuids, Messages& messages) {
  if (file.records.empty()) return;
  std::set<std::string> missing = uuids;
  for (const Record& record : file.records) missing.erase(record.trace.workload.uuid);
  if (missing.empty()) return;
  warning(messages, {file.file},
          fmt::format("{} missing {}/{} workloads", file.author, missing.size(), uuids.size()));
}

}  // namespace

Messages check_trace(const Subject& subject) {
  Messages messages;
  if (subject.traces.empty()) info(messages, "no trace files");
  const std::set<std::string> solutions = parsed_solutions(subject);
  const std::set<std::string> uuids = subject.workload_uuids();
  for (const ScannedRecords* file : subject.traces) {
    for (const BadLine& bad : file->errors) {
      error(messages, {file->file, bad.line}, fmt::format("{}: parse error: {}", file->author, bad.message));
    }
    records(subject, *file, solutions, messages);
    missing_workloads(*file, uuids, messages);
  }
  return messages;
}

}  // namespace fib::validate
