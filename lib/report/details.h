#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dataset/filter.h"
#include "dataset/load.h"
#include "dataset/trace_row.h"
#include "model/measurement_record.h"

namespace fib::report {

// What a trace records of why it did not pass; each "" where it is not recorded.
struct FailureName {
  std::string code;          // docs/error-codes.md
  std::string pattern;       // of the elements that are wrong (docs/trace-record.md)
  bool was_skipped = false;  // it was not tried, since others of the solution had failed (--skip-after)
};
[[nodiscard]] FailureName failure_name(const model::MeasurementRecord& record);
// "INCORRECT_NUMERICAL (wrong_values: one_row)"; without a code the status alone. Harmless.
[[nodiscard]] std::string status_text(model::Status status, const FailureName& failure);

enum class KeepLogs { no, of_failures, yes };

// One trace with what evaluation.fib tells of its measurement. Traces of other tools have no such record:
// then the pointers are null and the options empty. Pointers lead into the pool of the dataset that it is
// read from.
struct Detail {
  dataset::TraceRow row;
  const std::string* run_id = nullptr;
  const std::string* clock = nullptr;   // "events", ...
  const std::string* flush = nullptr;   // "clean", ...
  const std::string* config = nullptr;  // as JSON text
  const std::string* sweep = nullptr;   // swept options: "atol=2 iterations=5"; swept axes are the workload's
  std::optional<double> cv;             // coefficient of variation of the timed calls
  std::optional<double> sm_clock_mhz;   // CUDA: median of the multiprocessors' clock
  std::size_t samples = 0;              // timed calls
  std::size_t sets = 0;                 // input sets
  bool inputs_changed = false;
  const std::string* libs = nullptr;  // environment.libs as JSON text; null: none
  FailureName failure = {};
  std::string log;  // only where it was asked for

  [[nodiscard]] const model::Status& status() const { return row.evaluation->status; }
  [[nodiscard]] std::optional<double> latency_ms() const { return row.latency_ms(); }
};

// Within which share of the latency another run's lies, in 95 of 100 cases (evaluation.fib.interval); nothing
// where it is not recorded or is no interval.
[[nodiscard]] std::optional<double> interval_share(const model::Evaluation& evaluation);

// An error of the outputs, such as `&model::Correctness::max_absolute_error`; nothing where none is recorded,
// and where a result that did not pass records 0: then nothing was written, or nothing could be compared.
[[nodiscard]] std::optional<double> told_error(const model::Evaluation& evaluation,
                                               double model::Correctness::*error);

// The detail of a trace with an evaluation.
[[nodiscard]] Detail make_detail(const model::Trace& trace, dataset::RowPool& pool, KeepLogs logs);

// Every trace with a solution and an evaluation that passes the filter, in the order of load(). `dataset` is
// what dataset::load_without_results() gives; lines that cannot be read are described in `unreadable`. Throws
// Error when a file cannot be read.
[[nodiscard]] std::vector<Detail> read_details(const dataset::Dataset& dataset, const dataset::Filter& filter,
                                               std::vector<std::string>& unreadable, KeepLogs logs);

// Whether the points of a run's sweep are results of their own.
enum class SweepPoints { together, apart };

// Of the details with the same hardware, definition, solution and workload the latest by time, the last of
// equally old ones; in the order in which these keys were met.
[[nodiscard]] std::vector<const Detail*> latest(const std::vector<Detail>& details,
                                                SweepPoints points = SweepPoints::together);

}  // namespace fib::report
