#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dataset/load.h"
#include "export/ci_results.h"
#include "report/run_rest.h"

// The forms of `fib export` for CI. All functions are pure; the texts end with a newline.
namespace fib::exports {

// How many results there are of a kind.
struct CiTotals {
  std::size_t results = 0;
  std::size_t passed = 0;
  std::size_t changed_inputs = 0;             // passed, though the solution wrote to its inputs
  std::map<std::string, std::size_t> failed;  // by status

  report::RunRest rest;  // of the one run that is exported

  explicit CiTotals(const std::vector<CiResult>& results, report::RunRest rest = {});
  // "7 results: 5 passed, 2 failed (1 COMPILE_ERROR, 1 TIMEOUT)"; "no results".
  [[nodiscard]] std::string text() const;
};

// Workflow commands of GitHub Actions: an error for each failure of a solution, once for all workloads on
// which it is the same, and a warning for each solution that passed and changed its inputs; each with the
// solution's file where that lies below `folder`, the repository's. At most ten of each, which is what GitHub
// shows of a step, and a line that says how many more; a notice with the totals.
[[nodiscard]] std::string github_commands(const std::vector<CiResult>& results,
                                          const dataset::Dataset& dataset,
                                          const std::filesystem::path& folder,
                                          const report::RunRest& rest = {});

// JUnit's XML: a suite for each hardware and definition, a case for each solution and workload, with the
// median in seconds as its time. What was not done is a suite of its own, with a case that was skipped, and
// so are the solutions that were skipped.
[[nodiscard]] std::string junit_results(const std::vector<CiResult>& results,
                                        const report::RunRest& rest = {});

// GitHub takes 1024 KiB a step and drops what is longer altogether; some is left to what else the step
// writes.
inline constexpr std::size_t kSummaryBytes = 1000 * 1000;

// Markdown for $GITHUB_STEP_SUMMARY, at most `limit` (>= 4096) bytes: totals, failures with the tails of
// their logs, rankings; it ends with what was left out. `dataset` tells the authors.
[[nodiscard]] std::string job_summary(const std::vector<CiResult>& results, const dataset::Dataset& dataset,
                                      std::size_t limit = kSummaryBytes, const report::RunRest& rest = {});

// The JSON of benchmark-action/github-action-benchmark for its tool "customSmallerIsBetter": medians in
// milliseconds, half the interquartile range as range. Only what passed. `commits`: run id -> commit.
[[nodiscard]] std::string action_benchmark(const std::vector<CiResult>& results,
                                           const std::map<std::string, std::string>& commits);

// Bencher Metric Format, https://bencher.dev/docs/reference/bencher-metric-format: measure "latency" in
// nanoseconds with the quartiles as bounds, measure "speedup" against the reference. Only what passed.
[[nodiscard]] std::string bencher_metrics(const std::vector<CiResult>& results);

}  // namespace fib::exports
