#pragma once

#include <nlohmann/json.hpp>

// Schemas of what commands print for programs.
namespace fib::schema {

[[nodiscard]] nlohmann::ordered_json eval_schema();
[[nodiscard]] nlohmann::ordered_json run_event_schema();
[[nodiscard]] nlohmann::ordered_json sanitize_schema();
[[nodiscard]] nlohmann::ordered_json profile_schema();

}  // namespace fib::schema
