#include <fmt/format.h>

#include <algorithm>

#include "validate/checks.h"

namespace fib::validate {
namespace {

void fields(const Subject& subject, const ScannedSolution& scanned, Messages& messages) {
  const Place place{scanned.file};
  if (!scanned.solution) {
    error(messages, place, fmt::format("{}: parse error: {}", scanned.name, scanned.error));
    return;
  }
  const model::Solution& solution = *scanned.solution;
  if (solution.definition != subject.name()) {
    error(
        messages, place,
        fmt::format("{}: definition field '{}' != '{}'", scanned.name, solution.definition, subject.name()));
  }
  if (solution.author != scanned.author) {
    error(messages, place,
          fmt::format("{}: author field '{}' != path '{}'", scanned.name, solution.author, scanned.author));
  }
  if (solution.name != scanned.name) {
    error(messages, place,
          fmt::format("{}: name field '{}' != path '{}'", scanned.name, solution.name, scanned.name));
  }
}

}  // namespace

Messages check_solution(const Subject& subject) {
  Messages messages;
  if (subject.solutions.empty()) {
    info(messages, "no solutions");
    return messages;
  }
  const auto parsed = std::count_if(subject.solutions.begin(), subject.solutions.end(),
                                    [](const ScannedSolution* s) { return s->solution.has_value(); });
  info(messages, fmt::format("{} solutions", parsed));
  for (const ScannedSolution* solution : subject.solutions) fields(subject, *solution, messages);
  return messages;
}

}  // namespace fib::validate
