#include "report/result_json.h"

#include <algorithm>

#include "dataset/ranking.h"
#include "feedback/baseline.h"
#include "feedback/truncated.h"
#include "model/json_value.h"
#include "report/details.h"
#include "roofline/reached.h"
#include "util/error.h"
#include "util/utf8.h"

namespace fib::report {
namespace {

using nlohmann::ordered_json;

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

std::optional<double> latency_of(const model::Evaluation& evaluation) {
  const auto& performance = evaluation.performance;
  const bool is_timed = performance && dataset::is_latency(performance->latency_ms);
  return is_timed ? std::optional(performance->latency_ms) : std::nullopt;
}

std::optional<roofline::Reached> reached_by(const model::Trace& trace, const model::Definition& definition) {
  const model::Evaluation& evaluation = *trace.evaluation;
  return roofline::reached(definition, trace.workload, evaluation.environment.hardware,
                           latency_of(evaluation));
}

// What the workload needs at least, what was reached of it, and how far the device could go.
ordered_json roofline_json(const std::optional<roofline::Reached>& reached) {
  if (!reached) return {};
  const auto& bound = reached->bound;
  return {{"bytes", reached->work.bytes},
          {"flops", or_null(reached->work.flops)},
          {"bytes_per_s", or_null(reached->bytes_per_s)},
          {"flops_per_s", or_null(reached->flops_per_s)},
          {"bound_ms", bound ? ordered_json(bound->ms) : ordered_json()},
          {"binds", bound ? ordered_json(roofline::name_of(bound->binds)) : ordered_json()},
          {"share", or_null(reached->share)}};
}

std::optional<double> speedup_of(const model::Evaluation& evaluation) {
  const auto& performance = evaluation.performance;
  const bool is_known = performance && performance->speedup_factor > 0;
  return is_known ? std::optional(performance->speedup_factor) : std::nullopt;
}

// Says whether something was cut.
bool add_log(ordered_json& object, const model::Evaluation& evaluation, std::size_t most) {
  std::string log = evaluation.log;
  const bool is_cut = log.size() > most;
  if (is_cut)
    log = evaluation.status == model::Status::COMPILE_ERROR ? log.substr(0, most)
                                                            : log.substr(log.size() - most);
  object["log"] = util::valid_utf8(log);
  object["log_is_cut"] = is_cut;
  return is_cut;
}

// When the trace was written, that is.
bool was_log_cut(const model::MeasurementRecord& record) {
  const auto names = record.truncated.value_or(std::vector<std::string>{});
  return std::find(names.begin(), names.end(), "log") != names.end();
}

std::string text_of(const ordered_json& value, model::json::Form form) {
  return model::json::dump(model::json::from_tree(value), form, model::json::NonFinite::strings);
}

}  // namespace

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json result_json(const model::Trace& trace, const model::Definition& definition,
                         std::size_t log_bytes) {
  const model::Evaluation& evaluation = *trace.evaluation;
  const auto& performance = evaluation.performance;
  ordered_json object = ordered_json::object();
  object["workload"] = trace.workload.uuid;
  object["axes"] = axes_of(trace.workload);
  object["status"] = model::name_of(evaluation.status);
  object["latency_ms"] = or_null(latency_of(evaluation));
  object["interval"] = or_null(interval_share(evaluation));
  object["reference_ms"] = performance && performance->reference_latency_ms > 0
                               ? ordered_json(performance->reference_latency_ms)
                               : ordered_json();
  const auto record = model::measurement_record(evaluation);
  const auto speedup = speedup_of(evaluation);
  object["speedup"] = or_null(speedup);
  object["baseline"] = baseline_json(speedup, record);
  object["max_absolute_error"] = or_null(told_error(evaluation, &model::Correctness::max_absolute_error));
  object["max_relative_error"] = or_null(told_error(evaluation, &model::Correctness::max_relative_error));
  const auto reached = reached_by(trace, definition);
  object["roofline"] = roofline_json(reached);
  const ordered_json whole = model::to_whole_json(record);
  object["resources"] = whole.at("resources");
  object["failure"] = whole.at("failure");
  object["hint"] = whole.at("hint");
  object["durations"] = whole.at("durations");
  for (const char* name : {"reward_components", "request_digest", "environment_digest"})
    object[name] = whole.at(name);
  const bool log_is_cut = add_log(object, evaluation, log_bytes);
  object["truncated"] = feedback::truncated(record, log_is_cut || was_log_cut(record));
  return object;
}

ordered_json baseline_json(const std::optional<double>& speedup, const model::MeasurementRecord& record) {
  const auto baseline = feedback::baseline_of(speedup.has_value(), record);
  if (!baseline) return {};
  const auto text = [](const std::optional<std::string>& value) {
    return value ? ordered_json(*value) : ordered_json();
  };
  return {
      {"name", text(baseline->name)}, {"engine", text(baseline->engine)}, {"device", text(baseline->device)}};
}

std::string json_line(const ordered_json& value) { return text_of(value, model::json::Form::compact); }

std::string indented_json(const ordered_json& value) { return text_of(value, model::json::Form::indented); }

}  // namespace fib::report
