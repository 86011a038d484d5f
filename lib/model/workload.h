#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "model/errors.h"
#include "model/fields.h"

namespace fib::model {

enum class InputKind {
  random,
  scalar,
  safetensors,
  custom,  // made by a function of the definition; kept on reading (lenient only), not supported
};

// A scalar input with its exact type.
struct Scalar {
  std::variant<std::int64_t, double, bool> value = std::int64_t{0};
  // The number's text as read; empty for values made in memory. An integer beyond int64_t is saturated in
  // `value` and complete here.
  std::string token;
};

struct InputSpec {
  InputKind kind = InputKind::random;
  Scalar scalar;           // of kind scalar
  std::string path;        // of kind safetensors: relative to the dataset's root
  std::string tensor_key;  // of kind safetensors
  Unknown unknown;
};

// How close outputs must be, from SOL-ExecBench (lenient mode); what is not said is the run's to say.
struct WorkloadTolerance {
  std::optional<double> max_atol;  // all finite and >= 0
  std::optional<double> max_rtol;
  std::optional<double> required_matched_ratio;  // in (0, 1]
  std::optional<double> max_error_cap;           // null where there is none
  Unknown unknown;                               // for example "allow_negative_inf"
};

// At which sizes, on which inputs.
struct Workload {
  Ordered<Integer> axes;  // values of the variable axes, none negative
  Ordered<InputSpec> inputs;
  std::string uuid;
  std::optional<WorkloadTolerance> tolerance = std::nullopt;
  Unknown unknown;
};

// Whether both say the same of it, or both nothing.
[[nodiscard]] bool same_tolerance(const Workload& left, const Workload& right);

// Whether both ask for the same work, as far as both say: sizes, and inputs but for where their files lie
// (which a merge may change).
[[nodiscard]] bool same_work(const Workload& left, const Workload& right);

// A text that is equal for workloads of one uuid that say all of the same work.
[[nodiscard]] std::string work_key(const Workload& workload);

// Reads one bare workload. Throws ParseError with all field errors.
[[nodiscard]] Workload parse_workload(std::string_view text, Mode mode = Mode::lenient);
[[nodiscard]] Workload read_workload(const json::Value& value, Mode mode = Mode::lenient);

// All fields are written. One line, no final newline.
[[nodiscard]] json::Value to_value(const Workload& workload, Mode mode = Mode::lenient);
[[nodiscard]] std::string to_json(const Workload& workload, Mode mode = Mode::lenient);

}  // namespace fib::model
