#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/strict_json.h"
#include "dataset/trace_row.h"

namespace fib::dataset {

// What of fib's own record a row holds, as texts; empty: not there.
struct OwnRecord {
  std::optional<model::DeviceKind> device;
  std::string_view run_id;
  std::string_view solution_sha256;
  std::string_view definition_sha256;
  std::string_view config;  // as JSON, as are the next three
  std::string_view sweep;
  std::string_view tolerance;
  std::string_view synthesized;
  std::string_view device_uuid;
  std::string_view engine;               // of the reference
  std::string_view timed_by;             // the engine that was timed; empty: the same
  model::RecordedReference reference{};  // numbers and sets
  std::string_view rule;
  std::optional<double> interval_high_ms;
  RowCalls calls{};
  std::optional<std::vector<double>> quantiles;  // of the calls
  std::string throttled;                         // as RowCalls has it, and the next
  std::string zeros_pass;

  // What of it decides the conditions that the workload adds.
  [[nodiscard]] std::string workload_conditions() const {
    std::string text;
    for (const auto& part : {rule, engine, timed_by, tolerance, synthesized})
      text.append(part).append(1, '\n');
    return text;
  }
};

// Of evaluation.fib. Members of other kinds than the writer's are left to the model: throws as strict_json.h
// says.
[[nodiscard]] OwnRecord read_own_record(simdjson::ondemand::value value);

}  // namespace fib::dataset
