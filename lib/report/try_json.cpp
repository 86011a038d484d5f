#include "report/try_json.h"

#include <nlohmann/json.hpp>

#include "dataset/ranking.h"
#include "model/error_code.h"
#include "model/json_value.h"
#include "model/measurement_record.h"
#include "report/details.h"
#include "report/try_summary.h"
#include "util/utf8.h"

namespace fib::report {
namespace {

using nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json axes_of(const model::Workload& workload) {
  ordered_json axes = ordered_json::object();
  for (const auto& [name, value] : workload.axes) {
    if (value.fits()) {
      axes[name] = value.value;
    } else {
      axes[name] = value.digits;
    }
  }
  return axes;
}

// The advice of the failure's code; null where it is not known.
ordered_json hint_of(const model::MeasurementRecord& record) {
  const auto* facts =
      record.failure && record.failure->code ? model::find_error_facts(*record.failure->code) : nullptr;
  return facts != nullptr ? ordered_json(std::string(facts->advice)) : ordered_json();
}

ordered_json failure_of(const model::Evaluation& evaluation) {
  const auto found = evaluation.fib.is_object() ? evaluation.fib.find("failure") : evaluation.fib.end();
  return evaluation.fib.is_object() && found != evaluation.fib.end() ? *found : ordered_json();
}

void add_log(ordered_json& object, const model::Evaluation& evaluation, std::size_t most) {
  std::string log = evaluation.log;
  const bool is_cut = log.size() > most;
  if (is_cut)
    log = evaluation.status == model::Status::COMPILE_ERROR ? log.substr(0, most)
                                                            : log.substr(log.size() - most);
  object["log"] = util::valid_utf8(log);
  object["log_is_cut"] = is_cut;
}

ordered_json result_json(const model::Trace& trace, std::size_t log_bytes) {
  const model::Evaluation& evaluation = *trace.evaluation;
  const auto& performance = evaluation.performance;
  const bool is_timed = performance && dataset::is_latency(performance->latency_ms);
  ordered_json object = ordered_json::object();
  object["workload"] = trace.workload.uuid;
  object["axes"] = axes_of(trace.workload);
  object["status"] = model::name_of(evaluation.status);
  object["latency_ms"] = is_timed ? ordered_json(performance->latency_ms) : ordered_json();
  object["interval"] = or_null(interval_share(evaluation));
  object["reference_ms"] = performance && performance->reference_latency_ms > 0
                               ? ordered_json(performance->reference_latency_ms)
                               : ordered_json();
  object["speedup"] = performance && performance->speedup_factor > 0
                          ? ordered_json(performance->speedup_factor)
                          : ordered_json();
  object["max_absolute_error"] =
      evaluation.correctness ? ordered_json(evaluation.correctness->max_absolute_error) : ordered_json();
  object["max_relative_error"] =
      evaluation.correctness ? ordered_json(evaluation.correctness->max_relative_error) : ordered_json();
  object["failure"] = failure_of(evaluation);
  object["hint"] = hint_of(model::measurement_record(evaluation));
  add_log(object, evaluation, log_bytes);
  return object;
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
    object["not_done"].push_back(
        {{"solution", one.solution}, {"workload", one.workload}, {"reason", one.reason}});
  return model::json::dump(model::json::from_tree(object), model::json::Layout::indented,
                           model::json::NonFinite::strings) +
         "\n";
}

}  // namespace fib::report
