#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "eval/difference.h"
#include "validate/report.h"

namespace fib::validate {

// One workload whose reference ran in both engines, native and Python; who runs them fills it in.
struct ReferenceRun {
  struct Engine {
    std::string error;  // why it has no outputs; empty: it has
    double ms = 0;      // one call
  };
  struct Output {
    std::string name;
    std::vector<std::int64_t> shape;
    eval::OutputDifference difference;  // of native ("got") from Python ("expected")
  };
  std::string workload;           // its uuid
  std::string problem;            // why neither engine ran; empty: at least one was tried
  std::vector<std::string> made;  // inputs that were made in place of missing files or meaningless integers
  Engine native;
  Engine python;
  std::vector<Output> outputs;  // where both ran
  std::uint64_t tied_rows = 0;  // in which the native engine's torch.topk took some of several equals
};

// What comparing the engines on one definition gave.
struct ReferenceCheck {
  std::string no_workloads;     // why there are no runs
  bool proposed = false;        // the workloads are not the dataset's
  bool python_on_cuda = false;  // else both engines ran on the CPU
  std::vector<ReferenceRun> runs;
};

// What a comparison of many definitions gave.
struct ReferenceChecks {
  std::map<std::string, ReferenceCheck> definitions;  // by name
  std::vector<std::string> notes;                     // what ran, for the head of the report
};

// The check "reference": an error for each workload that an engine fails on, and for each output that the
// engines do not agree on (a warning where equals that fall either way may be the reason); then how far they
// are apart at most, how long they took, and what was made.
[[nodiscard]] Messages check_reference(const ReferenceCheck& check, const Place& place);

}  // namespace fib::validate
