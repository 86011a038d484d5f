#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "schema/build.h"

// Schemas of a dataset's records, as they are written: readers take more.
namespace fib::schema {

[[nodiscard]] nlohmann::ordered_json definition_schema();
[[nodiscard]] nlohmann::ordered_json solution_schema();
[[nodiscard]] nlohmann::ordered_json workload_schema();
[[nodiscard]] nlohmann::ordered_json trace_schema();
// An array of traces.
[[nodiscard]] nlohmann::ordered_json export_schema();

// Parts that results have too.
[[nodiscard]] nlohmann::ordered_json status_words();
[[nodiscard]] nlohmann::ordered_json axes_of_workload();

// Of model::json_of(Obstacle): why something was not tried, or has no verdict.
[[nodiscard]] Members obstacle_members();
[[nodiscard]] nlohmann::ordered_json error_codes();
[[nodiscard]] nlohmann::ordered_json obstacle_codes();

// Of evaluation.fib what results have too, where all fields are there: null stands for what is not known.
[[nodiscard]] nlohmann::ordered_json failure_object();
[[nodiscard]] nlohmann::ordered_json resources_list();
[[nodiscard]] nlohmann::ordered_json durations_object();

}  // namespace fib::schema
