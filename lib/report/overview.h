#pragma once

#include <string>

#include "dataset/load.h"
#include "report/listing.h"
#include "report/table.h"

// What `fib list` shows of a dataset.
namespace fib::report {

// "9 definitions, 21 solutions, 30 workloads, 1 trace (1 passed)".
[[nodiscard]] std::string totals_text(const dataset::Dataset& dataset, const dataset::Filter& filters);

// Counts by op type. Records of unknown definitions are counted under "-".
[[nodiscard]] Table op_types_table(const dataset::Dataset& dataset, const dataset::Filter& filters);

// The authors with what they wrote and what became of it.
[[nodiscard]] Table authors_table(const dataset::Dataset& dataset, const dataset::Filter& filters);

}  // namespace fib::report
