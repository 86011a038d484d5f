#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "dataset/baselines.h"
#include "dataset/runs.h"
#include "dataset/standing.h"
#include "model/trace.h"

namespace fib::report {

// So many digits of a commit's hash are shown to people.
inline constexpr std::size_t kShortCommit = 8;

// The latencies of some evaluations that passed.
struct RunTimes {
  double log_sum = 0;           // in ms
  double log_interval_sum = 0;  // of 1 + their intervals, 1 where it is not known
  std::size_t timed = 0;        // how many there are

  void add(const RunTimes& other);
  // Their geometric mean; nothing when there is none.
  [[nodiscard]] std::optional<double> latency_ms() const;
  // By which share it may be higher: by the geometric mean of 1 + their intervals; nothing: not known.
  [[nodiscard]] std::optional<double> interval() const;
};

// One solution of a run on one definition, at one point of the run's sweep.
struct RunStanding {
  std::string definition;
  std::string solution;
  nlohmann::ordered_json sweep;  // swept option or axis -> its value; null: nothing was swept
  std::size_t evaluations = 0;
  std::size_t passed = 0;
  std::map<std::string, std::size_t> failed;  // by status
  std::set<std::string> sources;              // model::content_sha256 of the solution, where traces say it
  // By uuid, sizes, inputs and definition, so that an edited workload is another one: those that were tried.
  std::map<std::string, RunTimes> workloads;

  // Of all its workloads, or of these alone.
  [[nodiscard]] RunTimes times() const;
  [[nodiscard]] RunTimes times(const std::set<std::string>& works) const;
  [[nodiscard]] std::optional<double> latency_ms() const { return times().latency_ms(); }
};

// The workloads that some runs of a solution have in common, so that their latencies can be compared, and
// which of the runs these are: from the latest back, those that share a workload with all later ones.
struct CommonWorkloads {
  std::set<std::string> works;
  std::vector<const RunStanding*> runs;  // in the order of what was given
  std::size_t all = 0;                   // workloads that any of the runs tried, of whichever were given
};
[[nodiscard]] CommonWorkloads common_workloads(const std::vector<const RunStanding*>& runs);

// What the traces of one run in one dataset say.
struct RunTraces {
  std::size_t total = 0;
  std::size_t passed = 0;
  std::map<std::string, std::size_t> failed;  // by status
  std::set<std::string> definitions;
  std::set<std::string> solutions;
  std::string started_utc;  // of the evaluation that began first
  std::string first_utc;    // when the first trace was made
  std::string ended_utc;    // of the one that ended last
  std::string hardware;     // of the first trace, as are the next two
  std::string device;
  nlohmann::ordered_json config;
  std::map<std::tuple<std::string, nlohmann::ordered_json, std::string>, RunStanding>
      standings;  // by definition, sweep, solution
};

// A run: its record, what its traces say, or both.
struct HistoryRun {
  bool has_record = false;
  dataset::RunRecord record;  // without one: what its traces tell in its place, no counts
  RunTraces traces;
  std::optional<std::size_t> standing;  // results that reports count; nothing: nobody has looked

  // Of the record where it tells, else of the traces.
  [[nodiscard]] std::size_t evaluations() const;
  [[nodiscard]] std::size_t passed() const;
  [[nodiscard]] std::map<std::string, std::size_t> failed_by_status() const;
  [[nodiscard]] std::optional<std::size_t> definitions() const;
  [[nodiscard]] std::optional<std::size_t> solutions() const;
  // Seconds from start to end; nothing without a record, or when a time cannot be read.
  [[nodiscard]] std::optional<double> duration_s() const;
};

struct DatasetHistory {
  std::string path;
  std::vector<HistoryRun> runs;  // in the order of dataset::RunOrder
  std::vector<dataset::BaselineRun> baselines;
  std::size_t traces_without_run = 0;  // made by other programs
};

// Puts records and traces together: every record is a run, and so is every run id that only traces name.
// One thread at a time.
class HistoryBuilder {
 public:
  HistoryBuilder(std::string path, std::vector<dataset::RunRecord> records,
                 std::vector<dataset::BaselineRun> baselines = {});

  // Traces without an evaluation are no part of a history.
  void add(const model::Trace& trace);
  [[nodiscard]] DatasetHistory finish();

 private:
  DatasetHistory history_;
  std::map<std::string, HistoryRun> runs_;  // by id
};

// The id of the run that `text` names, as dataset::find_run has it. Throws Error when there is none or more
// than one.
[[nodiscard]] std::string choose_run(const std::vector<DatasetHistory>& histories, const std::string& text);

// The run with this id; null when the dataset has none.
[[nodiscard]] const HistoryRun* find_run(const DatasetHistory& history, const std::string& run_id);

// Says of each run how many of its results stand; `rows` are all results of the dataset.
void count_standing(DatasetHistory& history, const std::vector<dataset::TraceRow>& rows,
                    const dataset::StandingResults& standing);

// The members of `config` that `defaults` has otherwise or not at all; an object.
[[nodiscard]] nlohmann::ordered_json config_differences(const nlohmann::ordered_json& config,
                                                        const nlohmann::ordered_json& defaults);

}  // namespace fib::report
