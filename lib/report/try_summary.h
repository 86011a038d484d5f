#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/speedup.h"
#include "model/trace.h"
#include "report/details.h"

namespace fib::report {

// What the results of one solution on one device come to. All functions are pure.
struct TrySummary {
  std::string solution;
  std::string definition;
  std::string hardware;
  model::Status status = model::Status::PASSED;  // of the first result that did not pass; else PASSED
  FailureName failure;                           // of that result
  std::size_t results = 0;
  std::size_t passed = 0;
  // Geometric means over the workloads, where all passed and were timed.
  std::optional<double> latency_ms;
  std::optional<double> interval;  // within which share of it another run's lies, in 95 of 100 cases
  std::optional<double> speedup;   // against the reference
  std::optional<dataset::SpeedupRange> speedup_range = std::nullopt;  // where the reference's times are known
};

// Between which values speedups of one run lie, by solution and workload; what is not known is not there.
using SpeedupRanges = std::map<std::pair<std::string, std::string>, dataset::SpeedupRange>;

// Of one result of each workload; not empty.
[[nodiscard]] TrySummary summarize(const std::vector<model::Trace>& traces, const SpeedupRanges& ranges = {});

// What the run says of its references, as reports do (docs/reports.md).
struct SettledTries {
  SpeedupRanges ranges;
  std::vector<std::string> cautions;
};
// Gives the traces of one run, by solution, the speedups against the run's times of the references.
[[nodiscard]] SettledTries settle(std::map<std::string, std::vector<model::Trace>>& traces);

// Workloads without a result.
struct Missing {
  std::size_t not_done = 0;     // for a fault that is not the solution's
  std::size_t untried = 0;      // a cascade or the user ended it before them
  bool is_interrupted = false;  // by the user
};

// Whether an interrupt came before it was known whether all pass.
[[nodiscard]] bool is_undecided(const TrySummary& summary, const Missing& missing);

// "my_norm on rmsnorm_h4096: PASSED 4 of 4 workloads, 0.01816 ms ±1.2%, 11.20x the reference". What was
// interrupted before it failed is no pass: "my_norm on rmsnorm_h4096: interrupted, 1 of 3 workloads passed, 2
// not tried".
[[nodiscard]] std::string headline(const TrySummary& summary, const Missing& missing = {});

// A line for each kernel that a call launches, at most three, those that took longest first: "kernel scale:
// 100% of the time, 256 threads, 32 registers, 4 KiB shared memory, occupancy 50% (limited by registers)".
// Nothing where none is known. Pure; the trace has an evaluation.
[[nodiscard]] std::vector<std::string> kernel_lines(const model::Trace& trace);

}  // namespace fib::report
