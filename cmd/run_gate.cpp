#include "run_gate.h"

#include <fmt/format.h>

#include "present/text.h"
#include "util/some_of.h"

namespace fib::cmd {
namespace {

std::string failures_text(const RunOutcome& outcome) {
  const auto& solutions = outcome.failed_solutions;
  return fmt::format("--strict: {} of {} did not pass{}{}", outcome.failures,
                     present::plural(outcome.results, "evaluation"), solutions.empty() ? "" : ": ",
                     util::some_of(solutions, "solution"));
}

std::vector<std::string> broken_gates(const RunOutcome& outcome, const GateOptions& options) {
  std::vector<std::string> reasons;
  const auto expected = options.expected_results;
  if (expected && *expected != outcome.results) {
    reasons.push_back(fmt::format("--expect: there {} {}, not {}", outcome.results == 1 ? "is" : "are",
                                  present::plural(outcome.results, "result"), *expected));
  }
  if (!options.strict) return reasons;
  if (outcome.results == 0) reasons.push_back("--strict: there is no result");
  if (outcome.failures > 0) reasons.push_back(failures_text(outcome));
  if (outcome.skipped > 0 && !options.allow_skipped) {
    reasons.push_back(fmt::format(
        "--strict: {} skipped; --allow-skipped says that this is meant",
        outcome.skipped == 1 ? "1 solution was" : fmt::format("{} solutions were", outcome.skipped)));
  }
  return reasons;
}

}  // namespace

GateVerdict judge_run(const RunOutcome& outcome, const GateOptions& options) {
  if (outcome.is_interrupted) {
    GateVerdict undecided{kInterrupted, {}};
    if (options.strict || options.expected_results)
      undecided.reasons.emplace_back("the gate is undecided, for the run was interrupted");
    if (options.strict && outcome.failures > 0) undecided.reasons.push_back(failures_text(outcome));
    return undecided;
  }
  GateVerdict verdict{kDone, broken_gates(outcome, options)};
  if (!verdict.reasons.empty() || outcome.has_failed_fast) verdict.exit_code = kGateFailed;
  if (options.strict && outcome.unloaded > 0) {
    verdict.exit_code = kNotAllDone;
    verdict.reasons.push_back(fmt::format(
        "--strict: {} of definitions, solutions and workloads did not load",
        outcome.unloaded == 1 ? "1 file or line" : fmt::format("{} files or lines", outcome.unloaded)));
  }
  if (options.strict && outcome.unloaded_traces > 0) {
    verdict.exit_code = kNotAllDone;
    verdict.reasons.push_back(fmt::format(
        "--strict: {} of results cannot be read, and what they say of earlier runs is lost",
        outcome.unloaded_traces == 1 ? "1 file or line"
                                     : fmt::format("{} files or lines", outcome.unloaded_traces)));
  }
  if (options.strict && outcome.incomplete > 0) {
    verdict.exit_code = kNotAllDone;
    verdict.reasons.push_back(fmt::format(
        "--strict: {} cannot be evaluated, for the dataset lacks {} definition or "
        "its workloads",
        present::plural(outcome.incomplete, "solution"), outcome.incomplete == 1 ? "its" : "their"));
  }
  if (outcome.not_done > 0) verdict.exit_code = kNotAllDone;
  return verdict;
}

}  // namespace fib::cmd
