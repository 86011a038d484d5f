#pragma once

#include "dataset/load.h"
#include "report/listing.h"
#include "report/table.h"

// The tables that `fib list <kind>` shows: what passes the filters, one row each. All functions are pure.
namespace fib::report {

// By op type and name; counts are of what passes the filters.
[[nodiscard]] Table list_definitions(const dataset::Dataset& dataset, const dataset::Filter& filters);

// By definition and name; counts of all traces of the solution.
[[nodiscard]] Table list_solutions(const dataset::Dataset& dataset, const dataset::Filter& filters);

// By definition, in file order; counts of the traces that pass the filters.
[[nodiscard]] Table list_workloads(const dataset::Dataset& dataset, const dataset::Filter& filters);

// By definition and hardware, in file order.
[[nodiscard]] Table list_traces(const dataset::Dataset& dataset, const dataset::Filter& filters);

}  // namespace fib::report
