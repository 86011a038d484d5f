#pragma once

#include <string>

#include "report/sol.h"
#include "report/table.h"

// The tables of the SOL report. Pure.
namespace fib::report {

[[nodiscard]] Table workloads_table(const HardwareSol& hardware);
[[nodiscard]] Table solutions_table(const HardwareSol& hardware);

// The solutions that passed a workload, fastest first.
[[nodiscard]] Table points_table(const WorkloadSol& workload);

// With three digits and the unit's prefix: "33.6 M", "1.05 G"; below 1000 whole.
[[nodiscard]] std::string format_amount(double amount);

}  // namespace fib::report
