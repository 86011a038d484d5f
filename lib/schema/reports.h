#pragma once

#include <nlohmann/json.hpp>

// Schemas of what reports and other commands about datasets print for programs.
namespace fib::schema {

[[nodiscard]] nlohmann::ordered_json summary_schema();
[[nodiscard]] nlohmann::ordered_json best_schema();
[[nodiscard]] nlohmann::ordered_json rank_schema();
[[nodiscard]] nlohmann::ordered_json fast_p_schema();
[[nodiscard]] nlohmann::ordered_json sol_schema();
[[nodiscard]] nlohmann::ordered_json show_schema();
[[nodiscard]] nlohmann::ordered_json compare_schema();
[[nodiscard]] nlohmann::ordered_json history_schema();
[[nodiscard]] nlohmann::ordered_json baselines_schema();
[[nodiscard]] nlohmann::ordered_json apply_schema();
[[nodiscard]] nlohmann::ordered_json list_schema();
[[nodiscard]] nlohmann::ordered_json merge_schema();
[[nodiscard]] nlohmann::ordered_json validate_schema();

}  // namespace fib::schema
