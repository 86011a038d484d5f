#pragma once

#include <string>
#include <vector>

#include "present/table.h"
#include "report/sol.h"

// The tables of the SOL report. Pure.
namespace fib::report {

[[nodiscard]] present::Table workloads_table(const HardwareSol& hardware);
[[nodiscard]] present::Table solutions_table(const HardwareSol& hardware);

// The solutions that passed a workload, fastest first.
[[nodiscard]] present::Table points_table(const WorkloadSol& workload);

// With three digits and the unit's prefix: "33.6 M", "1.05 G"; below 1000 whole.
[[nodiscard]] std::string format_amount(double amount);

// What the columns Bound, Of bound and SOL score mean, a sentence each, without full stops.
[[nodiscard]] std::vector<std::string> bound_notes();

}  // namespace fib::report
