#include <fmt/format.h>

#include "validate/checks.h"

namespace fib::validate {
namespace {

void definition_fields(const Subject& subject, Messages& messages) {
  if (subject.definition == nullptr) return;
  const Place place{subject.scanned.file};
  if (subject.definition->name != subject.name()) {
    error(messages, place,
          fmt::format("definition name mismatch: path says '{}', JSON says '{}'", subject.name(),
                      subject.definition->name));
  }
  if (subject.definition->op_type != subject.scanned.op_type) {
    error(messages, place,
          fmt::format("definition op_type mismatch: path says '{}', JSON says '{}'", subject.scanned.op_type,
                      subject.definition->op_type));
  }
}

// The first record of another definition.
const Record* stranger(const Subject& subject, const ScannedRecords& file) {
  for (const Record& record : file.records) {
    if (record.trace.definition != subject.name()) return &record;
  }
  return nullptr;
}

void workload_fields(const Subject& subject, Messages& messages) {
  const ScannedRecords& file = *subject.workloads;
  if (file.op_type != subject.scanned.op_type) {
    error(messages, {file.file},
          fmt::format("workload op_type mismatch: expected '{}', got '{}'", subject.scanned.op_type,
                      file.op_type));
  }
  if (const Record* record = stranger(subject, file)) {
    error(messages, {file.file, record->line},
          fmt::format("workload trace definition mismatch: expected '{}', got '{}'", subject.name(),
                      record->trace.definition));
  }
}

void solution_fields(const Subject& subject, const ScannedSolution& scanned, Messages& messages) {
  if (!scanned.solution) return;
  const model::Solution& solution = *scanned.solution;
  const Place place{scanned.file};
  if (solution.author != scanned.author) {
    error(messages, place,
          fmt::format("solution '{}' author mismatch: path '{}', JSON '{}'", scanned.name, scanned.author,
                      solution.author));
  }
  if (solution.definition != subject.name()) {
    error(messages, place,
          fmt::format("solution '{}' definition mismatch: path '{}', JSON '{}'", scanned.name, subject.name(),
                      solution.definition));
  }
  if (solution.name != scanned.name) {
    error(messages, place,
          fmt::format("solution name mismatch: path '{}', JSON '{}'", scanned.name, solution.name));
  }
  if (scanned.op_type != subject.scanned.op_type) {
    error(messages, place,
          fmt::format("solution '{}' op_type mismatch: expected '{}', got '{}'", scanned.name,
                      subject.scanned.op_type, scanned.op_type));
  }
}

void trace_fields(const Subject& subject, const ScannedRecords& file, Messages& messages) {
  if (file.op_type != subject.scanned.op_type) {
    error(messages, {file.file},
          fmt::format("trace file op_type mismatch for author '{}': expected '{}', got '{}'", file.author,
                      subject.scanned.op_type, file.op_type));
  }
  if (const Record* record = stranger(subject, file)) {
    error(messages, {file.file, record->line},
          fmt::format("trace definition mismatch for author '{}': expected '{}', got '{}'", file.author,
                      subject.name(), record->trace.definition));
  }
}

void missing_blobs(const Subject& subject, const Blobs& blobs, Messages& messages) {
  for (const Record& record : subject.workloads->records) {
    const model::Workload& workload = record.trace.workload;
    for (const auto& [name, input] : workload.inputs) {
      if (input.kind != model::InputKind::safetensors) continue;
      const FoundBlob found = blobs.find(input.path);
      if (found.file || !found.error.empty()) continue;
      error(messages, {subject.workloads->file, record.line},
            fmt::format("workload {}: blob missing at {}", workload.uuid, input.path));
    }
  }
}

}  // namespace

Messages check_layout(const Subject& subject, const Blobs& blobs) {
  Messages messages;
  if (subject.scanned.duplicate) {
    error(messages, {subject.scanned.file}, subject.scanned.error);
    return messages;
  }
  definition_fields(subject, messages);
  if (subject.workloads != nullptr) workload_fields(subject, messages);
  for (const ScannedSolution* solution : subject.solutions) solution_fields(subject, *solution, messages);
  for (const ScannedRecords* traces : subject.traces) trace_fields(subject, *traces, messages);
  if (subject.workloads != nullptr && subject.definition != nullptr) missing_blobs(subject, blobs, messages);
  return messages;
}

}  // namespace fib::validate
