#pragma once

#include <optional>

#include "present/table.h"
#include "present/text.h"

namespace fib::report {

// The mean latency of a solution, in milliseconds; "-" where nothing passed. In parentheses where it is not
// of all workloads in question, so that it cannot be compared with those of others. Its value is the number.
[[nodiscard]] inline present::Cell latency_cell(const std::optional<double>& latency_ms, bool is_of_all) {
  if (!latency_ms) return present::no_cell();
  const std::string text = present::format_ms(*latency_ms);
  return present::number_cell(*latency_ms, is_of_all ? text : "(" + text + ")");
}

}  // namespace fib::report
