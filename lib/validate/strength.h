#pragma once

#include <map>
#include <string>
#include <vector>

#include "eval/compare.h"
#include "eval/null_answers.h"
#include "validate/report.h"

namespace fib::validate {

// One workload, and which answers of solutions that compute nothing pass there; who judges them fills it in.
struct StrengthRun {
  std::string workload;                  // its uuid
  std::string problem;                   // why nothing was judged; empty: it was
  std::vector<eval::NullAnswer> tried;   // those that fit the workload's outputs
  std::vector<eval::NullAnswer> passed;  // of these
  eval::Tolerance tolerance;
};

// What was found of one definition.
struct StrengthCheck {
  std::string no_workloads;  // why there are no runs
  bool proposed = false;     // the workloads are not the dataset's
  std::vector<StrengthRun> runs;
};

// What was found of many definitions.
struct StrengthChecks {
  std::map<std::string, StrengthCheck> definitions;  // by name
  std::vector<std::string> notes;                    // for the head of the report
};

// The check "workload-strength": a warning for each null answer that passes, with the workloads that let it,
// and for what could not be judged; then on how many workloads none passes.
[[nodiscard]] Messages check_strength(const StrengthCheck& check, const Place& place);

}  // namespace fib::validate
