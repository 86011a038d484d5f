#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/run.h"
#include "eval_inputs.h"
#include "model/trace.h"
#include "progress.h"
#include "report/try_json.h"
#include "report/try_summary.h"
#include "run_gate.h"

namespace fib::cmd {

// What is left of a try when its datasets are gone.
struct EvalOutcome {
  ExitCode exit_code = kDone;                               // as `fib run --strict` has it
  std::map<std::string, std::vector<model::Trace>> traces;  // by solution
  std::vector<report::TryReport::Skipped> skipped;
  std::vector<report::TryReport::NotDone> not_done;
  double plan_ms = 0;
  std::size_t not_begun = 0;  // evaluations that were planned: the try ended before
  report::SettledTries settled = {};
  // Of a cascade: the traces of its first stage, by solution.
  std::map<std::string, std::vector<model::Trace>> smallest = {};
};

enum class Stages { kOne, kCascade };

// Evaluates all solutions on all workloads; in a cascade first each on its smallest one with few calls, and
// those that pass there on all. What is wrong is logged as it is known. `line` is drawn in the last stage.
// Throws what bench::run() throws.
[[nodiscard]] EvalOutcome evaluate_all(bench::Session& session, const EvalInputs& inputs, Stages stages,
                                       const bench::RunConfig& config, const bench::RunRequest& request,
                                       ProgressLine line);

}  // namespace fib::cmd
