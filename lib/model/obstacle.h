#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/error_code.h"

// Why an evaluation was not made, as a word of a closed list, for programs: no verdict on the solution, and
// no trace. docs/error-codes.md has the list.
namespace fib::model {

enum class ObstacleCode {
  // plan
  no_workloads,
  bad_definition,
  unsupported_solution,
  other_device,
  missing_tool,
  // build
  build_not_made,
  // load
  bad_workload,
  unsupported_workload,
  too_large,
  // run
  reference_failed,
  unsupported_reference,
  machine_error,
  lost_device,
  fib_error,
  // time
  busy_device,
  full_device,
  unclear_time,
  unclear_work,
};

// What is true of every obstacle with a code.
struct ObstacleFacts {
  ObstacleCode code{};
  std::string_view name;     // "busy_device"
  std::string_view stage;    // "plan", "build", "load", "run", "time"
  Fault fault{};             // of whom
  bool retryable = false;    // the same command may succeed when it is given again
  std::string_view meaning;  // a sentence
  std::string_view advice;   // a sentence: what to do next
};

// All of them, by stage.
[[nodiscard]] const std::vector<ObstacleFacts>& all_obstacle_facts();
[[nodiscard]] const ObstacleFacts& facts_of(ObstacleCode code);
// Null: there is no code of this name.
[[nodiscard]] const ObstacleFacts* find_obstacle_facts(std::string_view name);

// Why one evaluation, or all of a solution's, was not made.
struct Obstacle {
  ObstacleCode code{};
  std::string why;  // for people: a sentence, or what a library said, of any bytes
};

// Its code, stage, fault and retryable, and as "reason" its text, in valid UTF-8.
[[nodiscard]] nlohmann::ordered_json json_of(const Obstacle& obstacle);

}  // namespace fib::model
