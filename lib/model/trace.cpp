#include "model/trace.h"

#include <cmath>
#include <map>

#include "model/coerce.h"
#include "model/reader.h"

namespace fib::model {
namespace {

const std::vector<std::string_view> kStatusNames = {
    "PASSED",        "INCORRECT_SHAPE", "INCORRECT_NUMERICAL", "INCORRECT_DTYPE", "RUNTIME_ERROR",
    "COMPILE_ERROR", "TIMEOUT"};

Status read_status(const json::Value& value, const std::string& path, ReadContext& context) {
  if (value.kind == json::Kind::string) {
    for (std::size_t i = 0; i < kStatusNames.size(); ++i) {
      if (value.text == kStatusNames[i]) return static_cast<Status>(i);
    }
    // The only wrong status in August 2025.
    if (context.mode == Mode::lenient && value.text == "INCORRECT") return Status::INCORRECT_NUMERICAL;
  }
  context.fail(path, expected_one_of(kStatusNames));
  return Status::RUNTIME_ERROR;
}

Environment read_environment(const json::Value& value, const std::string& path, ReadContext& context) {
  Environment environment;
  ObjectReader object(value, path, context);
  if (!object.is_object()) return environment;
  // In August 2025 the key was "device".
  const bool old =
      context.mode == Mode::lenient && value.find("hardware") == nullptr && value.find("device") != nullptr;
  environment.hardware = object.text(old ? "device" : "hardware");
  if (value.find("libs") != nullptr) {
    read_map(object, "libs", context, MinLength::zero,
             [&](const auto& name, const json::Value& version, const auto& where) {
               environment.libs.emplace_back(name, read_text(version, where, context, MinLength::zero));
             });
  }
  environment.unknown = object.unknown();
  return environment;
}

double read_double(const json::Value& value, const std::string& path, ReadContext& context) {
  const Coerced<double> number = coerce_double(value);
  if (!number.value) context.fail(path, number.error);
  return number.value.value_or(0);
}

double read_error(ObjectReader& object, std::string_view name, ReadContext& context) {
  const json::Value* value = object.optional(name);
  if (value == nullptr) return 0;
  const double number = read_double(*value, object.path_of(name), context);
  if (number < 0) context.fail(object.path_of(name), "must be non-negative or NaN");
  return number;
}

Correctness read_correctness_fields(const json::Value& value, const std::string& path, ReadContext& context) {
  Correctness correctness;
  ObjectReader object(value, path, context);
  if (!object.is_object()) return correctness;
  correctness.max_relative_error = read_error(object, "max_relative_error", context);
  correctness.max_absolute_error = read_error(object, "max_absolute_error", context);
  const json::Value* extra = object.optional("extra");
  if (extra != nullptr && extra->kind == json::Kind::object) {
    correctness.extra = json::to_tree(*extra);
  } else if (extra != nullptr && extra->kind != json::Kind::null) {
    context.fail(object.path_of("extra"), "Input should be an object");
  }
  correctness.unknown = object.unknown();
  return correctness;
}

double read_measure(ObjectReader& object, std::string_view name, ReadContext& context) {
  const json::Value* value = object.optional(name);
  if (value == nullptr) return 0;
  // Upstream writes infinity as null, and only infinity: it refuses NaN here.
  if (context.mode == Mode::lenient && value->kind == json::Kind::null) return HUGE_VAL;
  const double number = read_double(*value, object.path_of(name), context);
  if (!(number >= 0)) context.fail(object.path_of(name), "Input should be greater than or equal to 0");
  return number;
}

Performance read_performance_fields(const json::Value& value, const std::string& path, ReadContext& context) {
  Performance performance;
  ObjectReader object(value, path, context);
  if (!object.is_object()) return performance;
  performance.latency_ms = read_measure(object, "latency_ms", context);
  performance.reference_latency_ms = read_measure(object, "reference_latency_ms", context);
  performance.speedup_factor = read_measure(object, "speedup_factor", context);
  performance.unknown = object.unknown();
  return performance;
}

// Members that are there and not null.
const json::Value* given(ObjectReader& object, std::string_view name) {
  const json::Value* value = object.optional(name);
  return value != nullptr && value->kind != json::Kind::null ? value : nullptr;
}

Evaluation read_evaluation_fields(const json::Value& value, const std::string& path, ReadContext& context) {
  Evaluation evaluation;
  ObjectReader object(value, path, context);
  if (!object.is_object()) return evaluation;
  const std::size_t errors_before = context.errors.size();
  if (const auto* status = object.required("status")) {
    evaluation.status = read_status(*status, object.path_of("status"), context);
  }
  if (const auto* environment = object.required("environment")) {
    evaluation.environment = read_environment(*environment, object.path_of("environment"), context);
  }
  evaluation.timestamp = object.text("timestamp");
  if (value.find("log") != nullptr) evaluation.log = object.text("log", MinLength::zero);
  if (const auto* correctness = given(object, "correctness")) {
    evaluation.correctness = read_correctness_fields(*correctness, object.path_of("correctness"), context);
  }
  if (const auto* performance = given(object, "performance")) {
    evaluation.performance = read_performance_fields(*performance, object.path_of("performance"), context);
  }
  const json::Value* fib = object.optional("fib");
  if (fib != nullptr && context.mode == Mode::lenient) evaluation.fib = json::to_tree(*fib);
  evaluation.unknown = object.unknown();
  if (context.errors.size() > errors_before) return evaluation;
  if (const auto violation = status_rule_violation(evaluation)) context.fail(path, *violation);
  return evaluation;
}

// In August 2025 a workload was a trace with the solution "" and the evaluation {}.
bool is_old_workload(const json::Value* solution, const json::Value& evaluation) {
  return evaluation.kind == json::Kind::object && evaluation.members.empty() &&
         (solution == nullptr || (solution->kind == json::Kind::string && solution->text.empty()));
}

json::Value texts_to_value(const Ordered<std::string>& texts) {
  json::Value object = json::make_object();
  for (const auto& [name, text] : texts) object.add(name, json::make_string(text));
  return object;
}

json::Value error_to_value(double error) {
  return std::isfinite(error) ? json::make_number(error) : json::make_string(json::format_double(error));
}

template <typename Read>
auto read_root(const json::Value& value, Mode mode, Read&& read) {
  ReadContext context{mode, {}};
  auto result = read(value, "", context);
  context.finish();
  return result;
}

}  // namespace

std::string_view name_of(Status status) { return kStatusNames.at(static_cast<std::size_t>(status)); }

std::optional<std::string> status_rule_violation(Status status, bool has_correctness, bool has_performance) {
  const bool correctness = status == Status::PASSED || status == Status::INCORRECT_NUMERICAL;
  const bool performance = status == Status::PASSED;
  const auto message = [&](bool wanted, std::string_view what) {
    return fmt::format("Evaluation must {}include {} when status is EvaluationStatus.{}",
                       wanted ? "" : "not ", what, name_of(status));
  };
  if (has_correctness != correctness) return message(correctness, "correctness");
  if (has_performance != performance) return message(performance, "performance");
  return std::nullopt;
}

std::optional<std::string> status_rule_violation(const Evaluation& evaluation) {
  return status_rule_violation(evaluation.status, evaluation.correctness.has_value(),
                               evaluation.performance.has_value());
}

Correctness read_correctness(const json::Value& value, Mode mode) {
  return read_root(value, mode, read_correctness_fields);
}

Performance read_performance(const json::Value& value, Mode mode) {
  return read_root(value, mode, read_performance_fields);
}

Evaluation read_evaluation(const json::Value& value, Mode mode) {
  return read_root(value, mode, read_evaluation_fields);
}

Trace read_trace(const json::Value& value, Mode mode) {
  ReadContext context{mode, {}};
  ObjectReader object(value, "", context);
  context.finish();
  Trace trace;
  trace.definition = object.text("definition");
  if (const auto* workload = object.required("workload")) {
    trace.workload = read_workload_fields(*workload, object.path_of("workload"), context);
  }
  const json::Value* solution = given(object, "solution");
  const json::Value* evaluation = given(object, "evaluation");
  const bool old = mode == Mode::lenient && evaluation != nullptr && is_old_workload(solution, *evaluation);
  if (solution != nullptr && !old)
    trace.solution = read_text(*solution, "solution", context, MinLength::zero);
  if (evaluation != nullptr && !old)
    trace.evaluation = read_evaluation_fields(*evaluation, "evaluation", context);
  trace.unknown = object.unknown();
  context.finish();
  return trace;
}

Trace parse_trace(std::string_view text, Mode mode) { return read_trace(json::parse(text), mode); }

json::Value to_value(const Correctness& correctness, Mode /*mode*/) {
  json::Value object = json::make_object();
  object.add("max_relative_error", error_to_value(correctness.max_relative_error));
  object.add("max_absolute_error", error_to_value(correctness.max_absolute_error));
  object.add("extra", correctness.extra ? json::from_tree(*correctness.extra) : json::make_null());
  add_unknown(object, correctness.unknown);
  return object;
}

json::Value to_value(const Performance& performance, Mode /*mode*/) {
  json::Value object = json::make_object();
  object.add("latency_ms", json::make_number(performance.latency_ms));
  object.add("reference_latency_ms", json::make_number(performance.reference_latency_ms));
  object.add("speedup_factor", json::make_number(performance.speedup_factor));
  add_unknown(object, performance.unknown);
  return object;
}

json::Value to_value(const Evaluation& evaluation, Mode mode) {
  json::Value environment = json::make_object();
  environment.add("hardware", json::make_string(evaluation.environment.hardware));
  environment.add("libs", texts_to_value(evaluation.environment.libs));
  add_unknown(environment, evaluation.environment.unknown);
  json::Value object = json::make_object();
  object.add("status", json::make_string(std::string(name_of(evaluation.status))));
  object.add("environment", std::move(environment));
  object.add("timestamp", json::make_string(evaluation.timestamp));
  object.add("log", json::make_string(evaluation.log));
  object.add("correctness",
             evaluation.correctness ? to_value(*evaluation.correctness, mode) : json::make_null());
  object.add("performance",
             evaluation.performance ? to_value(*evaluation.performance, mode) : json::make_null());
  add_unknown(object, evaluation.unknown);
  if (!evaluation.fib.is_null() && mode == Mode::lenient) object.add("fib", json::from_tree(evaluation.fib));
  return object;
}

json::Value to_value(const Trace& trace, Mode mode) {
  json::Value object = json::make_object();
  object.add("definition", json::make_string(trace.definition));
  object.add("workload", to_value(trace.workload, mode));
  object.add("solution", trace.solution ? json::make_string(*trace.solution) : json::make_null());
  object.add("evaluation", trace.evaluation ? to_value(*trace.evaluation, mode) : json::make_null());
  add_unknown(object, trace.unknown);
  return object;
}

std::string to_json(const Trace& trace, Mode mode) {
  const auto non_finite = mode == Mode::upstream ? json::NonFinite::null : json::NonFinite::strings;
  return json::dump(to_value(trace, mode), json::Form::compact, non_finite);
}

}  // namespace fib::model
