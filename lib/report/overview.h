#pragma once

#include <string>

#include "dataset/load.h"
#include "dataset/standing.h"
#include "present/table.h"
#include "report/listing.h"

// What `fib list` shows of a dataset.
namespace fib::report {

// "9 definitions, 21 solutions, 30 workloads, 2 traces, 1 result (1 passed)".
[[nodiscard]] std::string totals_text(const dataset::Dataset& dataset, const dataset::Filter& filters,
                                      const dataset::StandingResults& standing);

// Counts by op type. Records of unknown definitions are counted under "-".
[[nodiscard]] present::Table op_types_table(const dataset::Dataset& dataset, const dataset::Filter& filters,
                                            const dataset::StandingResults& standing);

// The authors with what they wrote and what became of it.
[[nodiscard]] present::Table authors_table(const dataset::Dataset& dataset, const dataset::Filter& filters,
                                           const dataset::StandingResults& standing);

}  // namespace fib::report
