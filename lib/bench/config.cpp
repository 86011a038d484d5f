#include "bench/config.h"

namespace fib::bench {
namespace {

void require(bool holds, const char* option, const char* rule) {
  if (!holds) throw Error("{} must be {}", option, rule);
}

const char* name_of(ReferenceEngine engine) {
  switch (engine) {
    case ReferenceEngine::kAuto:
      return "auto";
    case ReferenceEngine::kNative:
      return "native";
    case ReferenceEngine::kPython:
      return "python";
  }
  return "?";
}

}  // namespace

std::string name_of(ClockChoice choice) {
  switch (choice) {
    case ClockChoice::kAuto:
      return "auto";
    case ClockChoice::kEvents:
      return "events";
    case ClockChoice::kEventSegments:
      return "event-segments";
    case ClockChoice::kCuptiKernel:
      return "cupti-kernel";
    case ClockChoice::kCuptiConcurrent:
      return "cupti-concurrent";
  }
  return "?";
}

double usual_call_budget_s(model::DeviceKind device) { return device == model::DeviceKind::cuda ? 2 : 5; }

void check(const RunConfig& config) {
  require(config.warmup_runs >= 0, "--warmup-runs", "at least 0");
  require(config.iterations > 0, "--iterations", "positive");
  require(config.num_trials > 0, "--num-trials", "positive");
  require(config.rtol > 0, "--rtol", "positive");
  require(config.atol > 0, "--atol", "positive");
  const double ratio = config.required_matched_ratio.value_or(1);
  require(ratio > 0 && ratio <= 1, "--required-matched-ratio", "above 0 and at most 1");
  const auto seconds = [](double value) { return value > 0 && value <= 1e6; };
  require(seconds(config.timeout_s), "--timeout", "above 0 and at most 1000000");
  require(seconds(config.build_timeout_s), "--build-timeout", "above 0 and at most 1000000");
  require(seconds(config.call_budget_s), "--call-budget", "above 0 and at most 1000000");
}

eval::Tolerance tolerance_of(const RunConfig& config, const model::Workload& workload, double usual_ratio) {
  eval::Tolerance tolerance{config.atol, config.rtol, config.required_matched_ratio.value_or(usual_ratio)};
  if (!workload.tolerance) return tolerance;
  const auto& said = *workload.tolerance;
  tolerance.atol = said.max_atol.value_or(tolerance.atol);
  tolerance.rtol = said.max_rtol.value_or(tolerance.rtol);
  tolerance.required_matched_ratio = said.required_matched_ratio.value_or(tolerance.required_matched_ratio);
  tolerance.max_error = said.max_error_cap;
  return tolerance;
}

nlohmann::ordered_json to_json(const RunConfig& config) {
  const auto& ratio = config.required_matched_ratio;
  nlohmann::ordered_json json = {
      {"warmup_runs", config.warmup_runs},
      {"iterations", config.iterations},
      {"num_trials", config.num_trials},
      {"rtol", config.rtol},
      {"atol", config.atol},
      {"required_matched_ratio", ratio ? nlohmann::ordered_json(*ratio) : nlohmann::ordered_json()},
      {"timeout_s", config.timeout_s},
      {"call_budget_s", config.call_budget_s},
      {"profile_baseline", config.profile_baseline},
      {"clock", name_of(config.clock)},
      {"flush", name_of(config.flush)},
      {"isolated", config.isolated},
      {"strict_inputs", config.strict_inputs},
      {"reference", name_of(config.reference)}};
  // Only where it was asked for: --resume then knows the traces that it made, and those of older versions.
  if (config.synthesize_missing) json["synthesize_missing"] = true;
  return json;
}

}  // namespace fib::bench
