#include "report/history.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dataset/run_order.h"
#include "dataset/trace_row.h"
#include "model/measurement_record.h"
#include "util/clock.h"
#include "util/error.h"
#include "util/find.h"
#include "util/shell_word.h"

namespace fib::report {
namespace {

using nlohmann::ordered_json;

// Times are compared as times: an offset may differ. One that cannot be read is as if it were not there.
bool is_before(const std::string& left, const std::string& right) {
  const auto a = util::parse_timestamp(left);
  const auto b = util::parse_timestamp(right);
  return a && (!b || *a < *b);
}

bool is_after(const std::string& left, const std::string& right) {
  const auto a = util::parse_timestamp(left);
  const auto b = util::parse_timestamp(right);
  return a && (!b || *a > *b);
}

void add_standing(RunTraces& traces, const model::Trace& trace, const model::MeasurementRecord& record) {
  const ordered_json& sweep = record.sweep;
  const model::Evaluation& evaluation = *trace.evaluation;
  const std::string solution = trace.solution.value_or("");
  RunStanding& standing = traces.standings[{trace.definition, sweep, solution}];
  standing.definition = trace.definition;
  standing.solution = solution;
  standing.sweep = sweep;
  ++standing.evaluations;
  if (record.solution_sha256) standing.sources.insert(*record.solution_sha256);
  // Another definition of the same name is other work.
  RunTimes& times =
      standing.workloads[record.definition_sha256.value_or("") + ' ' + model::work_key(trace.workload)];
  if (!trace.passed()) {
    ++standing.failed[std::string(model::name_of(evaluation.status))];
    return;
  }
  ++standing.passed;
  const double latency_ms = evaluation.performance ? evaluation.performance->latency_ms : 0;
  if (!std::isfinite(latency_ms) || latency_ms <= 0) return;
  times.add({std::log(latency_ms),
             std::log1p(dataset::interval_share(record, evaluation.performance).value_or(0)), 1});
}

void add_trace(RunTraces& traces, const model::Trace& trace, const model::MeasurementRecord& record) {
  const model::Evaluation& evaluation = *trace.evaluation;
  if (traces.total++ == 0) {
    traces.hardware = evaluation.environment.hardware;
    traces.device = dataset::device_kind(evaluation) == model::DeviceKind::cuda ? "cuda" : "cpu";
    traces.config = record.config;
  }
  if (trace.passed()) {
    ++traces.passed;
  } else {
    ++traces.failed[std::string(model::name_of(evaluation.status))];
  }
  traces.definitions.insert(trace.definition);
  if (trace.solution) traces.solutions.insert(*trace.solution);
  const std::string started = record.started_utc.value_or("");
  if (is_before(started, traces.started_utc)) traces.started_utc = started;
  if (is_before(evaluation.timestamp, traces.first_utc)) traces.first_utc = evaluation.timestamp;
  if (is_after(evaluation.timestamp, traces.ended_utc)) traces.ended_utc = evaluation.timestamp;
  add_standing(traces, trace, record);
}

// What stands in the place of a record that is not there.
void fill_from_traces(HistoryRun& run, const std::string& run_id) {
  run.record.run_id = run_id;
  run.record.started_utc = run.traces.started_utc;
  run.record.hardware = run.traces.hardware;
  run.record.device = run.traces.device;
  run.record.config = run.traces.config;
}

void add_to(dataset::RunOrder& order, const HistoryRun& run) {
  order.add_record(run.record.run_id, run.has_record ? run.record.started_utc : "");
  order.add_trace(run.record.run_id, run.traces.first_utc);
}

// A ratio that was not given is null today; it was 1 before rules had ratios of their own.
bool is_usual_ratio(const std::string& key, const ordered_json& value) {
  return key == "required_matched_ratio" && (value.is_null() || value == 1.0);
}

}  // namespace

void RunTimes::add(const RunTimes& other) {
  log_sum += other.log_sum;
  log_interval_sum += other.log_interval_sum;
  timed += other.timed;
}

std::optional<double> RunTimes::latency_ms() const {
  if (timed == 0) return std::nullopt;
  return std::exp(log_sum / static_cast<double>(timed));
}

std::optional<double> RunTimes::interval() const {
  if (!(log_interval_sum > 0)) return std::nullopt;
  return std::expm1(log_interval_sum / static_cast<double>(timed));
}

RunTimes RunStanding::times() const {
  RunTimes all;
  for (const auto& [work, own] : workloads) all.add(own);
  return all;
}

RunTimes RunStanding::times(const std::set<std::string>& works) const {
  RunTimes some;
  for (const auto& [work, own] : workloads) {
    if (works.contains(work)) some.add(own);
  }
  return some;
}

CommonWorkloads common_workloads(const std::vector<const RunStanding*>& runs) {
  CommonWorkloads common;
  std::set<std::string> all;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    std::set<std::string> shared;
    for (const auto& [work, times] : (*run)->workloads) {
      all.insert(work);
      if (common.runs.empty() || common.works.contains(work)) shared.insert(work);
    }
    if (shared.empty()) continue;
    common.works = std::move(shared);
    common.runs.insert(common.runs.begin(), *run);
  }
  common.all = all.size();
  return common;
}

std::size_t HistoryRun::evaluations() const { return record.finished.value_or(traces.total); }

std::size_t HistoryRun::passed() const { return record.passed.value_or(traces.passed); }

std::map<std::string, std::size_t> HistoryRun::failed_by_status() const {
  return record.failed.empty() ? traces.failed : record.failed;
}

std::optional<std::size_t> HistoryRun::definitions() const {
  if (record.definitions || traces.total == 0) return record.definitions;
  return traces.definitions.size();
}

std::optional<std::size_t> HistoryRun::solutions() const {
  if (record.solutions || traces.total == 0) return record.solutions;
  return traces.solutions.size();
}

std::optional<double> HistoryRun::duration_s() const {
  const auto begin = util::parse_timestamp(record.started_utc);
  const auto end = util::parse_timestamp(record.ended_utc);
  if (!begin || !end || *end < *begin) return std::nullopt;
  return static_cast<double>(*end - *begin) / 1e6;
}

HistoryBuilder::HistoryBuilder(std::string path, std::vector<dataset::RunRecord> records,
                               std::vector<dataset::BaselineRun> baselines) {
  history_.path = std::move(path);
  history_.baselines = std::move(baselines);
  for (auto& record : records) {
    HistoryRun& run = runs_[record.run_id];
    run.has_record = true;
    run.record = std::move(record);
  }
}

void HistoryBuilder::add(const model::Trace& trace) {
  if (!trace.evaluation) return;
  const auto record = model::measurement_record(*trace.evaluation);
  const std::string run_id = record.run_id.value_or("");
  if (run_id.empty()) {
    ++history_.traces_without_run;
  } else {
    add_trace(runs_[run_id].traces, trace, record);
  }
}

DatasetHistory HistoryBuilder::finish() {
  dataset::RunOrder order;
  for (auto& [run_id, run] : runs_) {
    if (!run.has_record) fill_from_traces(run, run_id);
    add_to(order, run);
  }
  for (const std::string& id : order.ids()) history_.runs.push_back(std::move(runs_.at(id)));
  return std::move(history_);
}

std::string choose_run(const std::vector<DatasetHistory>& histories, const std::string& text) {
  dataset::RunOrder order;
  std::map<std::string, std::string> baselines;
  for (const DatasetHistory& history : histories) {
    for (const HistoryRun& run : history.runs) add_to(order, run);
    baselines.merge(dataset::runs_by_name(history.baselines));
  }
  const auto ids = order.ids();
  if (ids.empty()) throw Error("there are no runs yet; to make one: fib run");
  if (auto found = dataset::find_run(ids, text, baselines)) return *std::move(found);
  std::string command = "fib history";
  for (const DatasetHistory& history : histories) command += " --local " + util::shell_word(history.path);
  throw Error("\"{}\" is no baseline, and no run's id begins so; to see all runs: {}", text, command);
}

const HistoryRun* find_run(const DatasetHistory& history, const std::string& run_id) {
  const auto found = std::find_if(history.runs.begin(), history.runs.end(),
                                  [&](const HistoryRun& run) { return run.record.run_id == run_id; });
  return found == history.runs.end() ? nullptr : &*found;
}

ordered_json config_differences(const ordered_json& config, const ordered_json& defaults) {
  ordered_json differences = ordered_json::object();
  if (!config.is_object()) return differences;
  for (const auto& [key, value] : config.items()) {
    if (is_usual_ratio(key, value)) continue;
    if (defaults.contains(key) && defaults.at(key) == value) continue;
    // Keys of an object differ; a look for each, as [] has it, takes the square of a hostile one's time.
    differences.get_ref<ordered_json::object_t&>().emplace_back(key, value);
  }
  return differences;
}

void count_standing(DatasetHistory& history, const std::vector<dataset::TraceRow>& rows,
                    const dataset::StandingResults& standing) {
  std::map<std::string, std::size_t> counts;  // by the run's id
  for (const auto& row : rows) {
    const auto* run_id = row.evaluation ? row.evaluation->origin.run_id : nullptr;
    if (run_id != nullptr && standing.holds(row)) ++counts[*run_id];
  }
  for (HistoryRun& run : history.runs) {
    const auto* count = util::find_or_null(counts, run.record.run_id);
    run.standing = count != nullptr ? *count : 0;
  }
}

}  // namespace fib::report
