#include "measure_options.h"

#include <spdlog/spdlog.h>

#include <filesystem>

#include "choice.h"
#include "compile/builder.h"
#include "util/error.h"

namespace fib::cmd {

std::optional<std::string> config_path(const MeasureOptions& options) {
  if (!options.config_file.empty()) return options.config_file;
  const auto file = bench::user_config_file();
  return file ? std::optional(file->string()) : std::nullopt;
}

bench::ConfigFile read_config(const MeasureOptions& options) {
  if (const auto path = config_path(options)) return bench::read_config_file(*path, options.config_name);
  if (!options.config_name.empty())
    throw CLI::ValidationError("--config-name", "there is no configuration file; name one with --config");
  return {};
}

void add_config_file(CLI::App& app, MeasureOptions& options) {
  app.add_option("--config", options.config_file,
                 "A YAML file with settings of runs, definitions and op types (docs/configuration.md);\n"
                 "default: ~/.config/fib/config.yaml, where it is there. Options go before it")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  app.add_option("--config-name", options.config_name, "With what the file has below configs.NAME")
      ->type_name("NAME");
}

bench::CountWork MeasureOptions::counted(bench::CountWork usual) const {
  if (count_work.empty()) return usual;
  if (count_work == "none") return bench::CountWork::kNone;
  return count_work == "one" ? bench::CountWork::kOne : bench::CountWork::kEach;
}

void MeasureOptions::finish(model::DeviceKind device) {
  file = read_config(*this);
  if (const auto path = config_path(*this)) spdlog::info("settings from {}", *path);
  for (const std::string& remark : file.remarks) spdlog::warn("{}", remark);
  take_settings(config, file);
  config.timeout_s = timeout_s.value_or(file.timeout_s.value_or(config.timeout_s));
  config.isolated = config.isolated || file.isolated.value_or(false);
  config.reference = reference == "native"   ? bench::ReferenceEngine::kNative
                     : reference == "python" ? bench::ReferenceEngine::kPython
                                             : bench::ReferenceEngine::kAuto;
  if (!(memory_budget_mib >= 0 && memory_budget_mib < 1e9)) {
    throw CLI::ValidationError("--memory-budget", "must be at least 0");
  }
  config.memory_budget_bytes = static_cast<std::uint64_t>(memory_budget_mib * 1024 * 1024);
  config.call_budget_s = call_budget_s.value_or(bench::usual_call_budget_s(device));
  using bench::ClockChoice;
  for (const auto choice : {ClockChoice::kAuto, ClockChoice::kEvents, ClockChoice::kEventSegments,
                            ClockChoice::kCuptiKernel, ClockChoice::kCuptiConcurrent}) {
    if (clock == bench::name_of(choice)) config.clock = choice;
  }
  config.flush = flush == "dirty"  ? worker::Flush::kDirty
                 : flush == "none" ? worker::Flush::kNone
                                   : worker::Flush::kClean;
  for (const auto mode : {sandbox::Mode::kAuto, sandbox::Mode::kStrict, sandbox::Mode::kOff}) {
    if (sandbox == sandbox::name_of(mode)) config.sandbox = mode;
  }
  using compile::TorchWay;
  for (const auto way : {TorchWay::kAuto, TorchWay::kHeaders, TorchWay::kReal}) {
    if (torch == compile::name_of(way)) config.torch = way;
  }
  for (const auto& path : sandbox_read)
    config.sandbox_readable.push_back(std::filesystem::absolute(path).lexically_normal());
  if (no_profile_baseline) config.profile_baseline = false;
  if (!seed.empty()) config.seed = seed;
  try {
    bench::check(config);
  } catch (const Error& error) {
    throw CLI::ValidationError(error.what());
  }
}

void add_limits(CLI::App& app, MeasureOptions& o) {
  app.add_option("--timeout", o.timeout_s, "Seconds for one solution on one workload (default: 300)");
  app.add_option("--build-timeout", o.config.build_timeout_s, "Seconds for one build")->capture_default_str();
}

void add_measuring(CLI::App& app, MeasureOptions& o) {
  const char* group = "How to measure";
  auto& c = o.config;
  app.add_option(
         "--noise", c.noise,
         "Make trials of 10 timed calls until the latency is known within this share (default: 0.005,\n"
         "which is 0.5%) or well within what processes differ by, at least 3 and at most 15")
      ->group(group);
  app.add_option("--iterations", c.iterations,
                 "Timed calls of each trial; all trials are made (default, with --num-trials: 50)")
      ->group(group);
  app.add_option("--num-trials", c.num_trials,
                 "Trials of each evaluation, all of which are made (default, with --iterations: 3)")
      ->group(group);
  app.add_option("--warmup-runs", c.warmup_runs,
                 "Untimed calls before the timed ones, of each trial where all trials are made (default: 2,\n"
                 "but 10 with --iterations or --num-trials)")
      ->group(group);
  app.add_option("--call-budget", o.call_budget_s,
                 "Seconds for the calls of one evaluation; fewer are made when "
                 "they are slow (default: 5, on CUDA 2)")
      ->group(group);
  app.add_option("--memory-budget", o.memory_budget_mib,
                 "MiB for expected outputs (0: an eighth of the memory)")
      ->capture_default_str()
      ->group(group);
  app.add_option("--timeout", o.timeout_s,
                 "Seconds for all calls of one solution on one workload (default: 300)")
      ->group(group);
  app.add_option("--build-timeout", c.build_timeout_s, "Seconds for one build")
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--clock", o.clock,
         "CUDA: what times a call: a pair of events, pairs between any two waits on all streams, or "
         "CUPTI's records of kernels run alone or as they come; auto takes events for launch plans, and "
         "event-segments for solutions with host code")
      ->check(one_of({"auto", "events", "event-segments", "cupti-kernel", "cupti-concurrent"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--flush", o.flush,
                 "CUDA: what the L2 cache holds when a call begins: lines to drop, lines to write back, or "
                 "what it held")
      ->check(one_of({"clean", "dirty", "none"}))
      ->capture_default_str()
      ->group(group);
  app.add_option(
         "--count-work", o.count_work,
         "CUDA: hold what solutions with host code claim against the device's own counters of its\n"
         "work, 0.4 s each time: in none of their evaluations (default of fib eval without --add), in\n"
         "one of each solution's, chosen when all have been made (default), or in each")
      ->check(one_of({"none", "one", "each"}))
      ->group(group);
  app.add_option("--seed", o.seed, "Repeat a run exactly: the seed of its record in runs/runs.jsonl")
      ->group(group);
  app.add_option("--reference", o.reference, "Engine for the references")
      ->check(one_of({"auto", "native", "python"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--torch", o.torch,
                 "What torch extensions are built with: auto takes fib's own headers, which need no torch,\n"
                 "and torch itself where they do not do; headers and real take one alone")
      ->check(one_of({"auto", "headers", "real"}))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--no-profile-baseline", o.no_profile_baseline,
               "Do not time the references; speedups are then 0")
      ->group(group);
  app.add_flag("--use-isolated-runner", c.isolated, "A fresh worker process for every workload")
      ->group(group);
}

void add_confining(CLI::App& app, MeasureOptions& o) {
  const char* group = "What solutions may reach";
  app.add_option(
         "--sandbox", o.sandbox,
         "Of builds, solutions and references: auto takes what this system allows (traces say what held),\n"
         "strict does not run with less than all of it, off is for code that you trust")
      ->check(one_of({"auto", "strict", "off"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--sandbox-read", o.sandbox_read,
                 "A folder or file that builds and solutions may read besides the system's, compilers',\n"
                 "CUDA's and Python's own: headers, say; repeatable")
      ->allow_extra_args(false)
      ->check(CLI::ExistingPath)
      ->type_name("PATH")
      ->group(group);
}

void add_judging(CLI::App& app, MeasureOptions& o) {
  const char* group = kJudgingGroup;
  app.add_option("--rtol", o.config.rtol, "Relative error an element may have (default: 0.01)")->group(group);
  app.add_option("--atol", o.config.atol,
                 "Absolute error an element may have; either one suffices (default: 0.01).\nWorkloads with a "
                 "tolerance of their own keep it")
      ->group(group);
  app.add_option("--required-matched-ratio", o.config.required_matched_ratio,
                 "Share of elements that must match; default: 1, of mixtures of experts\n(op_type moe, and "
                 "moe_fp8_block_scale in the name) 0.95")
      ->group(group);
  app.add_flag("--allow-outside", o.config.allow_outside,
               "Blobs may lie outside of their dataset (absolute paths, links)")
      ->group(group);
  app.add_flag("--strict-inputs", o.config.strict_inputs, "A changed input is INCORRECT_NUMERICAL")
      ->group(group);
}

}  // namespace fib::cmd
