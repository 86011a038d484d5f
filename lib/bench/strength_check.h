#pragma once

#include <string>
#include <vector>

#include "bench/config.h"
#include "bench/engine_check.h"
#include "eval/null_answers.h"

// Lets answers of solutions that compute nothing be judged as a run would: fib validate's check
// "workload-strength".
namespace fib::bench {

// What became of one workload. All texts are for messages.
struct StrengthOutcome {
  struct Passed {
    eval::NullAnswer answer{};
    std::string output;  // the others were right; empty: there is one, or the rule wants no expected outputs
  };
  std::string problem;            // why nothing was judged: its reference failed, say
  std::vector<Passed> passed;     // that the judge found no fault with
  std::vector<std::string> made;  // inputs that were made (synthesis/inputs.h)
  eval::Tolerance tolerance;
};

// Takes the machine-wide lock of the session's first device, which is the CPU. For each case the reference
// runs in the native engine on inputs that the judge makes, and the judge is handed each null answer in place
// of a solution's outputs (of several outputs in place of each one, where the others are right): for two sets
// of inputs (one where none is random), or as many as the rule wants to see. An answer passes when the judge
// finds no fault with any of them. Tolerances are those of `config`. Secrets follow from a fixed text, so
// that equal cases give equal outcomes. One outcome a case, in order; fewer when the session is interrupted.
// Throws Error for what makes all of it impossible.
[[nodiscard]] std::vector<StrengthOutcome> check_strength(Session& session,
                                                          const std::vector<EngineCase>& cases,
                                                          const RunConfig& config,
                                                          const EngineCheckObserver& observer);

}  // namespace fib::bench
