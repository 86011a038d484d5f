#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/trace.h"

namespace fib::report {

// What `fib eval` has tried, for programs.
struct TryReport {
  std::string version;  // of fib
  std::vector<std::vector<model::Trace>>
      solutions;  // of each its results, one of each workload; none is empty
  std::vector<std::pair<std::string, std::string>>
      skipped;  // solutions that cannot run here, with the reason
  struct NotDone {
    std::string solution;
    std::string workload;
    std::string reason;
  };
  std::vector<NotDone> not_done;
};

// One JSON object (docs/eval-json.md), indented, with a final newline. Numbers that are not finite are
// strings. Logs are cut to their last `log_bytes` bytes, of builds to their first. Pure.
[[nodiscard]] std::string to_json(const TryReport& report, std::size_t log_bytes = 8192);

}  // namespace fib::report
