#pragma once

#include <vector>

#include "dataset/load.h"
#include "dataset/standing.h"
#include "report/table.h"

namespace fib::exports {

// The columns of a flat row, the same in csv, Markdown and the table `traces` of the SQLite form.
[[nodiscard]] const std::vector<report::Column>& row_columns();

// One trace as cells: its text is complete, its value exact. Absent values are null. `standing` says whether
// the trace counts.
[[nodiscard]] std::vector<report::Cell> row_of(const dataset::Dataset& dataset, const model::Trace& trace,
                                               const dataset::StandingResults& standing);

}  // namespace fib::exports
