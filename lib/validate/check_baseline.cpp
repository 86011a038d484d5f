#include <fmt/format.h>

#include <algorithm>

#include "dataset/queries.h"
#include "validate/checks.h"

namespace fib::validate {
namespace {

void foreign_solution(const ScannedRecords& file, const std::vector<std::string>& names, Messages& messages) {
  for (const Record& record : file.records) {
    const std::string solution = record.trace.solution.value_or("");
    if (solution.empty() || std::find(names.begin(), names.end(), solution) != names.end()) continue;
    error(messages, {file.file, record.line},
          fmt::format("trace references non-baseline solution '{}'", solution));
    return;
  }
}

void outcomes(const ScannedRecords& file, Messages& messages) {
  const auto failed = std::count_if(file.records.begin(), file.records.end(), [](const Record& record) {
    return record.trace.evaluation && !record.trace.passed();
  });
  if (failed > 0) {
    warning(messages, {file.file}, fmt::format("trace has {} non-passing entries", failed));
  } else {
    info(messages, "trace: all passed");
  }
}

void coverage(const ScannedRecords& file, const std::set<std::string>& uuids, Messages& messages) {
  if (uuids.empty()) return;
  std::set<std::string> covered;
  for (const Record& record : file.records) covered.insert(record.trace.workload.uuid);
  const std::string count = fmt::format("{}/{} workloads", covered.size(), uuids.size());
  if (std::includes(covered.begin(), covered.end(), uuids.begin(), uuids.end())) {
    info(messages, "trace: " + count);
  } else {
    warning(messages, {file.file}, "trace covers " + count);
  }
}

}  // namespace

Messages check_baseline(const Subject& subject) {
  Messages messages;
  std::vector<std::string> names;
  for (const ScannedSolution* solution : subject.solutions) {
    if (solution->author == dataset::kUsualBaselineAuthor) names.push_back(solution->name);
  }
  if (names.empty()) {
    warning(messages, {subject.scanned.file}, "no baseline solution");
  } else {
    info(messages, fmt::format("solution: {}", fmt::join(names, ", ")));
  }
  const auto file = std::find_if(
      subject.traces.begin(), subject.traces.end(),
      [](const ScannedRecords* traces) { return traces->author == dataset::kUsualBaselineAuthor; });
  if (file == subject.traces.end()) {
    if (!names.empty()) warning(messages, {subject.scanned.file}, "trace missing");
    return messages;
  }
  for (const BadLine& bad : (*file)->errors) {
    error(messages, {(*file)->file, bad.line}, "trace parse error: " + bad.message);
  }
  if ((*file)->broken()) return messages;
  foreign_solution(**file, names, messages);
  outcomes(**file, messages);
  coverage(**file, subject.workload_uuids(), messages);
  return messages;
}

}  // namespace fib::validate
