#include "dataset/baselines.h"
#include "dataset/runs.h"
#include "util/error.h"
#include "validate/checks.h"

namespace fib::validate {
namespace {

// `read` reads one file of records.
template <typename Read>
void look_at(const Tree& tree, Read read, Messages& messages) {
  std::vector<dataset::Problem> problems;
  try {
    (void)read(tree.root, problems);
  } catch (const Error& problem) {
    error(messages, {}, problem.what());
  }
  for (const auto& problem : problems) {
    const Place place{problem.file, problem.line};
    if (problem.severity == dataset::Severity::error) {
      error(messages, place, dataset::to_string(problem));
    } else {
      warning(messages, place, dataset::to_string(problem));
    }
  }
}

}  // namespace

Messages check_runs(const Tree& tree) {
  Messages messages;
  look_at(tree, dataset::read_runs, messages);
  look_at(tree, dataset::read_baselines, messages);
  return messages;
}

}  // namespace fib::validate
