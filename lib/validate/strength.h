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
  struct Passed {
    eval::NullAnswer answer{};
    std::string output;  // of several, the one that was answered so; else empty
  };
  std::string workload;  // its uuid
  std::string problem;   // why nothing was judged; empty: it was
  std::vector<Passed> passed;
  std::vector<std::string> made;  // inputs that were made in place of missing files or meaningless integers
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

// The check "workload-strength": a warning for each null answer that passes, with the workloads that let it
// (only a note for lower precision, which may be meant), and for what could not be judged; then on how many
// workloads none passes, and which inputs were made.
[[nodiscard]] Messages check_strength(const StrengthCheck& check, const Place& place);

}  // namespace fib::validate
