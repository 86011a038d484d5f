#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/definition.h"
#include "model/measurement_record.h"
#include "model/trace.h"

namespace fib::report {

inline constexpr std::size_t kUsualLogBytes = 8192;

// A number, or null where there is none.
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<double>& value);

// One result for programs: an object with the keys that docs/eval.md lists. Numbers may be NaN or infinite:
// write them by the functions below. Logs are cut to their last `log_bytes` bytes, of builds to their first.
// Pure; the trace has an evaluation, and is of `definition`; its record says what to do next and what a
// reward is made of.
[[nodiscard]] nlohmann::ordered_json result_json(const model::Trace& trace,
                                                 const model::Definition& definition,
                                                 std::size_t log_bytes = kUsualLogBytes);

// What a speedup compares with: the definition's reference, as {name, engine, device}; null where there is no
// speedup, or nothing is known of the reference. Pure.
[[nodiscard]] nlohmann::ordered_json baseline_json(const std::optional<double>& speedup,
                                                   const model::MeasurementRecord& record);

// The text of what is made for programs, without a final newline: numbers that are not finite are strings.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& value);
[[nodiscard]] std::string indented_json(const nlohmann::ordered_json& value);

}  // namespace fib::report
