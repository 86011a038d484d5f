#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fib::dataset {

// Where a line of JSONL belongs, read without the rest of it.
struct TraceHead {
  std::string definition;
  std::optional<std::string> solution;  // nothing: absent or null
  bool evaluated = false;               // an evaluation that is not null or {}

  [[nodiscard]] bool is_workload() const { return !evaluated && solution.value_or("").empty(); }
};

// Nothing for what is no JSON object, and for an object without a definition (a bare workload). What is
// skipped is not checked: model::parse_trace does that. Any thread.
[[nodiscard]] std::optional<TraceHead> read_trace_head(std::string_view line);

// Whether the line tells of a result, not only of a workload. False for what cannot be read.
[[nodiscard]] bool is_result(std::string_view line);

}  // namespace fib::dataset
