#pragma once

#include "dataset/load.h"
#include "dataset/standing.h"
#include "present/table.h"
#include "report/listing.h"

// The tables that `fib list <kind>` shows: what passes the filters, one row each. All functions are pure.
namespace fib::report {

// By op type and name; counts are of what passes the filters.
[[nodiscard]] present::Table list_definitions(const dataset::Dataset& dataset,
                                              const dataset::Filter& filters);

// By definition and name; counts of all traces of the solution, of those that stand, and of what passed of
// these.
[[nodiscard]] present::Table list_solutions(const dataset::Dataset& dataset, const dataset::Filter& filters,
                                            const dataset::StandingResults& standing);

// By definition, in file order; counts of the traces that pass the filters.
[[nodiscard]] present::Table list_workloads(const dataset::Dataset& dataset, const dataset::Filter& filters);

// By definition and hardware, in file order, with whether each stands.
[[nodiscard]] present::Table list_traces(const dataset::Dataset& dataset, const dataset::Filter& filters,
                                         const dataset::StandingResults& standing);

}  // namespace fib::report
