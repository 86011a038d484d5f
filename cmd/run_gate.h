#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commands.h"

namespace fib::cmd {

// What `fib run` is asked to hold: --strict, --allow-skipped, --expect.
struct GateOptions {
  bool strict = false;
  bool allow_skipped = false;
  std::optional<std::size_t> expected_results;
};

// How a run went, as far as its exit code is concerned.
struct RunOutcome {
  std::size_t unloaded = 0;  // files and lines of definitions, solutions and workloads that did not load
  std::size_t unloaded_traces = 0;         // the same of results that were there before
  std::size_t skipped = 0;                 // solutions that cannot run on this machine
  std::size_t incomplete = 0;              // solutions whose definition or its workloads are not there
  std::size_t not_done = 0;                // planned evaluations that ended without a result
  std::size_t results = 0;                 // evaluations with a result, those that --resume left out too
  std::size_t failures = 0;                // of these: did not pass
  std::set<std::string> failed_solutions;  // of these failures
  bool has_failed_fast = false;            // --fail-fast ended the run
  bool is_interrupted = false;
};

struct GateVerdict {
  ExitCode exit_code = kDone;
  std::vector<std::string> reasons;  // of a gate that did not hold, a sentence each
};

// 130 when interrupted, else 1 when something was not done (under --strict: or did not load), else 3 when a
// gate did not hold. Pure.
[[nodiscard]] GateVerdict judge_run(const RunOutcome& outcome, const GateOptions& options);

}  // namespace fib::cmd
