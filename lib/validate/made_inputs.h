#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "present/text.h"
#include "validate/report.h"

namespace fib::validate {

// "inputs made by fib for 2 workloads: kv_indptr, x"; nothing where none was. A Run has the names in `made`.
template <typename Run>
void report_made(const std::vector<Run>& runs, Messages& messages) {
  std::set<std::string> names;
  std::size_t workloads = 0;
  for (const Run& run : runs) {
    names.insert(run.made.begin(), run.made.end());
    if (!run.made.empty()) ++workloads;
  }
  if (names.empty()) return;
  info(messages, fmt::format("inputs made by fib for {}: {}", present::plural(workloads, "workload"),
                             fmt::join(names, ", ")));
}

}  // namespace fib::validate
