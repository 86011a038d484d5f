#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "model/errors.h"
#include "model/fields.h"
#include "model/workload.h"

namespace fib::model {

enum class Status {
  PASSED,
  INCORRECT_SHAPE,
  INCORRECT_NUMERICAL,
  INCORRECT_DTYPE,
  RUNTIME_ERROR,
  COMPILE_ERROR,
  TIMEOUT,
};

[[nodiscard]] std::string_view name_of(Status status);  // "PASSED", ...

struct Environment {
  std::string hardware;
  Ordered<std::string> libs;
  Unknown unknown;
};

struct Correctness {
  double max_relative_error = 0;  // >= 0, infinite, or NaN
  double max_absolute_error = 0;
  std::optional<nlohmann::ordered_json> extra;  // an object
  Unknown unknown;
};

struct Performance {
  double latency_ms = 0;  // all three: >= 0 or infinite
  double reference_latency_ms = 0;
  double speedup_factor = 0;
  Unknown unknown;
};

struct Evaluation {
  Status status = Status::RUNTIME_ERROR;
  Environment environment;
  std::string timestamp;
  std::string log;
  std::optional<Correctness> correctness;
  std::optional<Performance> performance;
  Unknown unknown;
  // Our own record, the last key, as it is written; null: absent. measurement_record() reads it.
  nlohmann::ordered_json fib;
};

// What happened when a solution was tried on a workload; without solution and evaluation, just the workload.
struct Trace {
  std::string definition;
  Workload workload;
  std::optional<std::string> solution;
  std::optional<Evaluation> evaluation;
  Unknown unknown;

  [[nodiscard]] bool is_workload() const { return !solution && !evaluation; }
  [[nodiscard]] bool passed() const { return evaluation && evaluation->status == Status::PASSED; }
};

// Read one document. Throw ParseError: all field errors, or the first broken rule of the model.
[[nodiscard]] Trace parse_trace(std::string_view text, Mode mode = Mode::lenient);
[[nodiscard]] Trace read_trace(const json::Value& value, Mode mode = Mode::lenient);
[[nodiscard]] Evaluation read_evaluation(const json::Value& value, Mode mode = Mode::lenient);
[[nodiscard]] Correctness read_correctness(const json::Value& value, Mode mode = Mode::lenient);
[[nodiscard]] Performance read_performance(const json::Value& value, Mode mode = Mode::lenient);

// The rule that ties correctness and performance to the status: nothing when it holds, else what is wrong.
[[nodiscard]] std::optional<std::string> status_rule_violation(Status status, bool has_correctness,
                                                               bool has_performance);
[[nodiscard]] std::optional<std::string> status_rule_violation(const Evaluation& evaluation);

// All fields are written, also nulls and defaults. One line, no final newline.
[[nodiscard]] json::Value to_value(const Trace& trace, Mode mode = Mode::lenient);
[[nodiscard]] json::Value to_value(const Evaluation& evaluation, Mode mode = Mode::lenient);
[[nodiscard]] json::Value to_value(const Correctness& correctness, Mode mode = Mode::lenient);
[[nodiscard]] json::Value to_value(const Performance& performance, Mode mode = Mode::lenient);
[[nodiscard]] std::string to_json(const Trace& trace, Mode mode = Mode::lenient);

}  // namespace fib::model
