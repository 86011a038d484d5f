#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/json_value.h"
#include "present/table.h"
#include "report/summary.h"

// The tables of a summary. All functions are pure.
namespace fib::report {

[[nodiscard]] std::string name_of(Against against);  // "baseline", "reference"

// "2 TIMEOUT, 1 COMPILE_ERROR"; empty when everything passed.
[[nodiscard]] std::string failures_text(const Counts& counts);
[[nodiscard]] std::string failures_text(const std::map<std::string, std::size_t>& by_status);
[[nodiscard]] model::json::Value counts_json(const std::map<std::string, std::size_t>& counts);

// What every ranking shows of a score: both mean speedups, success rate, win rate.
[[nodiscard]] std::vector<present::Column> score_columns();
[[nodiscard]] std::vector<present::Cell> score_cells(const dataset::Score& score);

[[nodiscard]] present::Table authors_table(const AuthorRanking& ranking);

// Whether any of its standings has an interval: without one the table of solutions has no such column.
[[nodiscard]] bool has_intervals(const HardwareSummary& summary);

// Grouped by definition. The yardstick stands beside a definition where it is another than that of the
// authors.
[[nodiscard]] present::Table solutions_table(const HardwareSummary& summary);

// A row for each definition or author; `name` and `key` head the first column.
[[nodiscard]] present::Table counts_table(const std::string& name, const std::string& key,
                                          const std::map<std::string, Counts>& counts);

}  // namespace fib::report
