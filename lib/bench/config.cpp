#include "bench/config.h"

#include "compile/builder.h"

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

constexpr double kUsualNoise = 0.005;

bool is_fixed(const RunConfig& config) { return config.iterations || config.num_trials; }

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

CallPlan wanted_calls(const RunConfig& config) {
  if (is_fixed(config))
    return {config.num_trials.value_or(3), config.warmup_runs.value_or(10), config.iterations.value_or(50)};
  CallPlan plan{15, config.warmup_runs.value_or(2), 10};
  plan.width = config.noise.value_or(kUsualNoise);
  return plan;
}

double usual_call_budget_s(model::DeviceKind device) { return device == model::DeviceKind::cuda ? 2 : 5; }

void check(const RunConfig& config) {
  require(config.warmup_runs.value_or(0) >= 0, "--warmup-runs", "at least 0");
  require(config.iterations.value_or(1) > 0, "--iterations", "positive");
  require(config.num_trials.value_or(1) > 0, "--num-trials", "positive");
  const double noise = config.noise.value_or(1);
  require(noise > 0 && noise <= 1, "--noise", "above 0 and at most 1");
  if (config.noise && is_fixed(config))
    throw Error(
        "--noise ends an evaluation early; --iterations and --num-trials say how many calls are made");
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
  const CallPlan calls = wanted_calls(config);
  nlohmann::ordered_json json;
  if (config.warmup_runs || !calls.may_end_sooner()) json["warmup_runs"] = calls.warmup;
  if (calls.may_end_sooner()) {
    json["noise"] = calls.width;
  } else {
    json["iterations"] = calls.timed;
    json["num_trials"] = calls.trials;
  }
  json["rtol"] = config.rtol;
  json["atol"] = config.atol;
  json["required_matched_ratio"] = ratio ? nlohmann::ordered_json(*ratio) : nlohmann::ordered_json();
  json["timeout_s"] = config.timeout_s;
  json["call_budget_s"] = config.call_budget_s;
  json["profile_baseline"] = config.profile_baseline;
  json["clock"] = name_of(config.clock);
  json["flush"] = name_of(config.flush);
  json["isolated"] = config.isolated;
  json["strict_inputs"] = config.strict_inputs;
  json["reference"] = name_of(config.reference);
  // Only where it was asked for: --resume then knows the traces that it made, and those of older versions.
  if (config.synthesize_missing) json["synthesize_missing"] = true;
  if (config.torch != compile::TorchWay::kAuto) json["torch"] = compile::name_of(config.torch);
  return json;
}

std::vector<nlohmann::ordered_json> accepted_configs(const RunConfig& config) {
  std::vector<nlohmann::ordered_json> accepted = {to_json(config)};
  if (is_fixed(config) || config.noise || config.warmup_runs) return accepted;
  RunConfig older = config;
  older.iterations = 50;
  older.num_trials = 3;
  accepted.push_back(to_json(older));
  return accepted;
}

}  // namespace fib::bench
