#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/definition.h"
#include "model/trace.h"

namespace fib::report {

inline constexpr std::size_t kUsualLogBytes = 8192;

// A number, or null where there is none.
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<double>& value);

// One result for programs: an object with the keys that docs/eval.md lists. Numbers may be NaN or infinite:
// write them by the functions below. Logs are cut to their last `log_bytes` bytes, of builds to their first.
// Pure; the trace has an evaluation, and is of `definition`.
[[nodiscard]] nlohmann::ordered_json result_json(const model::Trace& trace,
                                                 const model::Definition& definition,
                                                 std::size_t log_bytes = kUsualLogBytes);

// The roofline bound of the trace's workload on its hardware over the latency: 1 is as fast as the device can
// be. Nothing where it did not pass, or no peak is known. Pure.
[[nodiscard]] std::optional<double> share_of_bound(const model::Trace& trace,
                                                   const model::Definition& definition);

// The text of what is made for programs, without a final newline: numbers that are not finite are strings.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& value);
[[nodiscard]] std::string indented_json(const nlohmann::ordered_json& value);

}  // namespace fib::report
