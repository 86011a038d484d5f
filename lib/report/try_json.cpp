#include "report/try_json.h"

#include <nlohmann/json.hpp>

#include "dataset/ranking.h"
#include "feedback/digests.h"
#include "model/measurement_record.h"
#include "report/result_json.h"
#include "report/try_summary.h"
#include "util/utf8.h"

namespace fib::report {
namespace {

using nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

// The stages of a cascade up to the first that did not pass, with their verdicts; null: it was none.
ordered_json stages(const TryReport::Solution& solution, const TrySummary& all) {
  if (solution.smallest.empty()) return nullptr;
  const auto verdict = [](std::string_view stage, model::Status status) {
    return ordered_json{{"stage", stage}, {"status", model::name_of(status)}};
  };
  const TrySummary smallest = summarize(solution.smallest);
  if (smallest.status == model::Status::COMPILE_ERROR)
    return ordered_json::array({verdict("build", smallest.status)});
  ordered_json list = {verdict("build", model::Status::PASSED),
                       verdict("smallest_workload", smallest.status)};
  if (smallest.status != model::Status::PASSED) return list;
  list.push_back(verdict("all_workloads", all.status));
  if (is_undecided(all, solution.missing)) list.back()["status"] = nullptr;
  return list;
}

// What a reward may be made of, over all results: built and caught as one is, the share of workloads that
// passed, and geometric means. Who was caught in one workload gets nothing for what passed.
ordered_json reward_of_all(const std::vector<model::MeasurementRecord>& records, const TrySummary& summary) {
  bool is_built = true;
  bool is_violation = false;
  std::vector<double> shares;
  for (const auto& record : records) {
    const auto one = record.reward_components.value_or(model::RecordedReward{});
    if (one.share_of_bound) shares.push_back(*one.share_of_bound);
    is_built = is_built && one.built.value_or(false);
    is_violation = is_violation || one.violation.value_or(false);
  }
  const bool all_have_one = shares.size() == summary.results && !is_violation;
  const double correct = static_cast<double>(summary.passed) / static_cast<double>(summary.results);
  return {{"built", is_built},
          {"correct", is_violation ? 0 : correct},
          {"speedup", is_violation ? ordered_json() : or_null(summary.speedup)},
          {"share_of_bound", all_have_one ? ordered_json(dataset::geometric_mean(shares)) : ordered_json()},
          {"violation", is_violation}};
}

std::string request_digest(const std::vector<model::MeasurementRecord>& records) {
  std::vector<std::string> digests;
  for (const auto& record : records) digests.push_back(record.request_digest.value_or(""));
  return feedback::joint_digest(digests);
}

void add_range(ordered_json& object, const dataset::SpeedupRange* range) {
  object["speedup_low"] = range != nullptr ? ordered_json(range->low) : ordered_json();
  object["speedup_high"] = range != nullptr ? ordered_json(range->high) : ordered_json();
}

ordered_json solution_json(const TryReport::Solution& solution, const TryReport& report,
                           std::size_t log_bytes) {
  const auto& traces = solution.traces;
  const TrySummary summary = summarize(traces, report.settled.ranges);
  ordered_json object = ordered_json::object();
  object["solution"] = summary.solution;
  object["definition"] = summary.definition;
  object["hardware"] = summary.hardware;
  std::vector<model::MeasurementRecord> records;
  for (const auto& trace : traces) records.push_back(model::measurement_record(*trace.evaluation));
  const auto& record = records.front();
  object["solution_sha256"] = record.solution_sha256 ? ordered_json(*record.solution_sha256) : ordered_json();
  object["status"] =
      is_undecided(summary, solution.missing) ? ordered_json() : ordered_json(model::name_of(summary.status));
  object["passed"] = summary.passed;
  object["workloads"] = summary.results;
  object["untried"] = solution.missing.untried;
  object["stages"] = stages(solution, summary);
  object["latency_ms"] = or_null(summary.latency_ms);
  object["interval"] = or_null(summary.interval);
  object["speedup"] = or_null(summary.speedup);
  add_range(object, summary.speedup_range ? &*summary.speedup_range : nullptr);
  object["baseline"] = baseline_json(summary.speedup, record);
  object["reward_components"] = reward_of_all(records, summary);
  object["request_digest"] = request_digest(records);
  object["environment_digest"] =
      record.environment_digest ? ordered_json(*record.environment_digest) : ordered_json();
  object["against"] = solution.against.empty() ? ordered_json() : ordered_json::parse(solution.against);
  object["results"] = ordered_json::array();
  for (const model::Trace& trace : traces) {
    object["results"].push_back(result_json(trace, *solution.definition, log_bytes));
    const auto range = report.settled.ranges.find({summary.solution, trace.workload.uuid});
    add_range(object["results"].back(), range != report.settled.ranges.end() ? &range->second : nullptr);
  }
  return object;
}

}  // namespace

std::string to_json(const TryReport& report, std::size_t log_bytes) {
  ordered_json object = ordered_json::object();
  object["schema_version"] = kSchemaVersion;
  object["fib"] = report.version;
  object["error"] = report.error.empty() ? ordered_json() : ordered_json(util::valid_utf8(report.error));
  object["interrupted"] = report.is_interrupted;
  object["plan_ms"] = report.plan_ms;
  object["solutions"] = ordered_json::array();
  for (const auto& solution : report.solutions)
    object["solutions"].push_back(solution_json(solution, report, log_bytes));
  object["cautions"] = report.settled.cautions;
  object["skipped"] = ordered_json::array();
  for (const auto& one : report.skipped) {
    object["skipped"].push_back({{"solution", one.solution}});
    object["skipped"].back().update(model::json_of(one.obstacle));
  }
  object["not_done"] = ordered_json::array();
  for (const auto& one : report.not_done) {
    object["not_done"].push_back({{"solution", one.solution}, {"workload", one.workload}});
    object["not_done"].back().update(model::json_of(one.obstacle));
  }
  return indented_json(object) + "\n";
}

}  // namespace fib::report
