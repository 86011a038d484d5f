#include "report/try_json.h"

#include <nlohmann/json.hpp>

#include "model/measurement_record.h"
#include "report/result_json.h"
#include "report/try_summary.h"

namespace fib::report {
namespace {

using nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json solution_json(const TryReport::Solution& solution, std::size_t log_bytes) {
  const auto& traces = solution.traces;
  const TrySummary summary = summarize(traces);
  ordered_json object = ordered_json::object();
  object["solution"] = summary.solution;
  object["definition"] = summary.definition;
  object["hardware"] = summary.hardware;
  const auto record = model::measurement_record(*traces.front().evaluation);
  object["solution_sha256"] = record.solution_sha256 ? ordered_json(*record.solution_sha256) : ordered_json();
  object["status"] = model::name_of(summary.status);
  object["passed"] = summary.passed;
  object["workloads"] = summary.results;
  object["latency_ms"] = or_null(summary.latency_ms);
  object["interval"] = or_null(summary.interval);
  object["speedup"] = or_null(summary.speedup);
  object["against"] = solution.against.empty() ? ordered_json() : ordered_json::parse(solution.against);
  object["results"] = ordered_json::array();
  for (const model::Trace& trace : traces) object["results"].push_back(result_json(trace, log_bytes));
  return object;
}

}  // namespace

std::string to_json(const TryReport& report, std::size_t log_bytes) {
  ordered_json object = ordered_json::object();
  object["schema_version"] = kSchemaVersion;
  object["fib"] = report.version;
  object["solutions"] = ordered_json::array();
  for (const auto& solution : report.solutions)
    object["solutions"].push_back(solution_json(solution, log_bytes));
  object["skipped"] = ordered_json::array();
  for (const auto& [solution, reason] : report.skipped)
    object["skipped"].push_back({{"solution", solution}, {"reason", reason}});
  object["not_done"] = ordered_json::array();
  for (const auto& one : report.not_done)
    object["not_done"].push_back({{"solution", one.solution},
                                  {"workload", one.workload},
                                  {"fault", one.fault},
                                  {"reason", one.reason}});
  return indented_json(object) + "\n";
}

}  // namespace fib::report
