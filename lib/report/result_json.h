#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/definition.h"
#include "model/measurement_record.h"
#include "model/trace.h"
#include "report/digests.h"

namespace fib::report {

inline constexpr std::size_t kUsualLogBytes = 8192;

// A number, or null where there is none.
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<double>& value);

// One result for programs: an object with the keys that docs/eval.md lists. Numbers may be NaN or infinite:
// write them by the functions below. Logs are cut to their last `log_bytes` bytes, of builds to their first.
// Pure; the trace has an evaluation, and is of `definition`.
[[nodiscard]] nlohmann::ordered_json result_json(const model::Trace& trace,
                                                 const model::Definition& definition,
                                                 const Circumstances& circumstances,
                                                 std::size_t log_bytes = kUsualLogBytes);

// What a speedup compares with: the definition's reference, as {name, engine, device}; null where there is no
// speedup, or nothing is known of the reference. Pure.
[[nodiscard]] nlohmann::ordered_json baseline_json(const std::optional<double>& speedup,
                                                   const model::MeasurementRecord& record);

// What a reward may be made of.
struct RewardComponents {
  bool built = true;
  double correct = 0;  // the share of workloads that passed
  std::optional<double> speedup = std::nullopt;
  std::optional<double> share_of_bound = std::nullopt;
  bool violation = false;
};
// Of one result. Pure.
[[nodiscard]] RewardComponents reward_components(const model::Trace& trace,
                                                 const model::Definition& definition);
[[nodiscard]] nlohmann::ordered_json to_json(const RewardComponents& components);

// The roofline bound of the trace's workload on its hardware over the latency: 1 is as fast as the device can
// be. Nothing where it did not pass, or no peak is known. Pure.
[[nodiscard]] std::optional<double> share_of_bound(const model::Trace& trace,
                                                   const model::Definition& definition);

// The text of what is made for programs, without a final newline: numbers that are not finite are strings.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& value);
[[nodiscard]] std::string indented_json(const nlohmann::ordered_json& value);

}  // namespace fib::report
