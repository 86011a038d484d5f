#pragma once

#include <string>
#include <vector>

#include "model/definition.h"
#include "model/obstacle.h"
#include "model/trace.h"
#include "report/result_json.h"
#include "report/try_summary.h"

namespace fib::report {

// What `fib eval` has tried, for programs.
struct TryReport {
  struct Solution {
    const model::Definition* definition = nullptr;  // of the traces; it outlives the report
    std::vector<model::Trace> traces;               // one result of each workload; not empty
    Missing missing = {};                           // workloads without a result
    std::string against = {};                       // a comparison, as JSON; "": none
    // Of a cascade: what came of its smallest workload. Empty: it was none.
    std::vector<model::Trace> smallest = {};
  };
  struct Skipped {  // when it was planned
    std::string solution;
    model::Obstacle obstacle;
  };
  struct NotDone {
    std::string solution;
    std::string workload;
    model::Obstacle obstacle;
  };
  std::string version;     // of fib
  std::string error = {};  // of fib's own, for which there are no results; "": none
  std::vector<Solution> solutions;
  std::vector<Skipped> skipped;
  std::vector<NotDone> not_done;
  double plan_ms = 0;           // for reading definitions, workloads and solutions, and for planning
  bool is_interrupted = false;  // by the user
  SettledTries settled = {};
};

// One JSON object (docs/eval.md), indented, with a final newline. Numbers that are not finite are
// strings. Logs are cut to their last `log_bytes` bytes, of builds to their first. Pure.
[[nodiscard]] std::string to_json(const TryReport& report, std::size_t log_bytes = kUsualLogBytes);

}  // namespace fib::report
