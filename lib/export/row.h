#pragma once

#include <map>
#include <string>
#include <vector>

#include "dataset/baselines.h"
#include "dataset/filter.h"
#include "dataset/load.h"
#include "dataset/standing.h"
#include "present/table.h"

namespace fib::exports {

// The columns of a flat row, the same in csv, Markdown and the table `traces` of the SQLite form.
[[nodiscard]] const std::vector<present::Column>& row_columns();

// What rows tell beyond their traces.
struct RowContext {
  // Which traces count, among the results that `filter` holds. Lines of runs/baselines.jsonl that cannot be
  // read go to `unreadable`.
  RowContext(const dataset::Dataset& dataset, const dataset::Filter& filter,
             std::vector<std::string>& unreadable);

  dataset::StandingResults standing;
  std::vector<dataset::BaselineRun> baselines;
  std::map<std::string, std::vector<std::string>> names_by_run;  // of these
};

// One trace as cells: its text is complete, its value exact. Absent values are null.
[[nodiscard]] std::vector<present::Cell> row_of(const dataset::Dataset& dataset, const model::Trace& trace,
                                                const RowContext& context);

}  // namespace fib::exports
