#pragma once

#include <nlohmann/json.hpp>

// Schemas of what fib writes besides records, and which are no reports: the history of runs, a run's
// timeline, and the forms of trackers of benchmarks.
namespace fib::schema {

// A line of runs/runs.jsonl.
[[nodiscard]] nlohmann::ordered_json run_schema();
// What `fib run --timeline` writes: Chrome's Trace Event Format, complete events alone and what names
// processes.
[[nodiscard]] nlohmann::ordered_json timeline_schema();
// What `fib export` writes for benchmark-action/github-action-benchmark (tool customSmallerIsBetter).
[[nodiscard]] nlohmann::ordered_json action_benchmark_schema();
// What `fib export` writes for Bencher (Bencher Metric Format).
[[nodiscard]] nlohmann::ordered_json bencher_schema();

}  // namespace fib::schema
