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

template <typename Visit>
void for_each_setting(Visit visit) {
  visit("warmup_runs", &EvalSettings::warmup_runs);
  visit("iterations", &EvalSettings::iterations);
  visit("num_trials", &EvalSettings::num_trials);
  visit("noise", &EvalSettings::noise);
  visit("rtol", &EvalSettings::rtol);
  visit("atol", &EvalSettings::atol);
  visit("required_matched_ratio", &EvalSettings::required_matched_ratio);
  visit("profile_baseline", &EvalSettings::profile_baseline);
}

void merge_found(EvalSettings& settings, const std::map<std::string, EvalSettings>& layer,
                 const std::string& key) {
  const auto found = layer.find(key);
  if (found != layer.end()) settings.merge(found->second);
}

// What the run says itself needs no settings; nor may they mix with it: with a fixed number of calls there is
// no width, and the other way round.
void drop_what_is_given(EvalSettings& settings, const RunConfig& config) {
  if (is_fixed(config) || config.noise) {
    settings.iterations.reset();
    settings.num_trials.reset();
    settings.noise.reset();
  }
  if (settings.iterations || settings.num_trials) settings.noise.reset();
  if (config.warmup_runs) settings.warmup_runs.reset();
  if (config.rtol) settings.rtol.reset();
  if (config.atol) settings.atol.reset();
  if (config.required_matched_ratio) settings.required_matched_ratio.reset();
  if (!config.profile_baseline) settings.profile_baseline.reset();
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

nlohmann::ordered_json to_json(const EvalSettings& settings) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for_each_setting([&](const char* name, auto field) {
    if (settings.*field) json[name] = *(settings.*field);
  });
  return json;
}

bool EvalSettings::is_empty() const { return to_json(*this).empty(); }

void EvalSettings::merge(const EvalSettings& over) {
  for_each_setting([&](const char*, auto field) {
    if (over.*field) this->*field = over.*field;
  });
}

bool SettingLayers::is_empty() const {
  return by_dtype.empty() && by_op_type.empty() && by_definition.empty() && by_workload.empty();
}

RunConfig config_for(const RunConfig& config, const model::Definition& definition,
                     const model::Workload& workload) {
  RunConfig result = config;
  const SettingLayers& layers = config.layers;
  if (!definition.outputs.empty())
    merge_found(result.settings, layers.by_dtype, definition.outputs.front().dtype);
  merge_found(result.settings, layers.by_op_type, definition.op_type);
  merge_found(result.settings, layers.by_definition, definition.name);
  merge_found(result.settings, layers.by_workload, workload.uuid);
  drop_what_is_given(result.settings, config);
  return result;
}

bool times_reference(const RunConfig& config) {
  return config.profile_baseline && config.settings.profile_baseline.value_or(true);
}

CallPlan wanted_calls(const RunConfig& config) {
  const EvalSettings& settings = config.settings;
  const auto given = [](const auto& of_run, const auto& of_layer, auto usual) {
    return of_run ? *of_run : of_layer.value_or(usual);
  };
  if (is_fixed(config) || settings.iterations || settings.num_trials)
    return {given(config.num_trials, settings.num_trials, 3),
            given(config.warmup_runs, settings.warmup_runs, 10),
            given(config.iterations, settings.iterations, 50)};
  CallPlan plan{15, given(config.warmup_runs, settings.warmup_runs, 2), 10};
  plan.width = given(config.noise, settings.noise, kUsualNoise);
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
  require(config.rtol.value_or(1) > 0, "--rtol", "positive");
  require(config.atol.value_or(1) > 0, "--atol", "positive");
  const double ratio = config.required_matched_ratio.value_or(1);
  require(ratio > 0 && ratio <= 1, "--required-matched-ratio", "above 0 and at most 1");
  const auto seconds = [](double value) { return value > 0 && value <= 1e6; };
  require(seconds(config.timeout_s), "--timeout", "above 0 and at most 1000000");
  require(seconds(config.build_timeout_s), "--build-timeout", "above 0 and at most 1000000");
  require(seconds(config.call_budget_s), "--call-budget", "above 0 and at most 1000000");
}

eval::Tolerance tolerance_of(const RunConfig& config, const model::Workload& workload, double usual_ratio) {
  const EvalSettings& settings = config.settings;
  const auto given = [](const auto& of_run, const auto& of_layer, double usual) {
    return of_run ? *of_run : of_layer.value_or(usual);
  };
  eval::Tolerance tolerance{
      given(config.atol, settings.atol, kUsualTolerance), given(config.rtol, settings.rtol, kUsualTolerance),
      given(config.required_matched_ratio, settings.required_matched_ratio, usual_ratio)};
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
  RunConfig of_run = config;
  of_run.settings = {};
  const CallPlan calls = wanted_calls(of_run);
  nlohmann::ordered_json json;
  if (config.warmup_runs || !calls.may_end_sooner()) json["warmup_runs"] = calls.warmup;
  if (calls.may_end_sooner()) {
    json["noise"] = calls.width;
  } else {
    json["iterations"] = calls.timed;
    json["num_trials"] = calls.trials;
  }
  json["rtol"] = config.rtol.value_or(kUsualTolerance);
  json["atol"] = config.atol.value_or(kUsualTolerance);
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
  if (!config.settings.is_empty()) json["settings"] = to_json(config.settings);
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
