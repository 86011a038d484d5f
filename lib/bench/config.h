#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/call_plan.h"
#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"
#include "model/workload.h"
#include "sandbox/files.h"
#include "worker/judge_document.h"
#include "worker/messages.h"

namespace fib::bench {

enum class ReferenceEngine { kAuto, kNative, kPython };

// What times the calls on CUDA. Automatic: events for launch plans; event-segments for host code, which may
// wait for the device inside or use streams of its own, in some calls or in all.
enum class ClockChoice { kAuto, kEvents, kEventSegments, kCuptiKernel, kCuptiConcurrent };
[[nodiscard]] std::string name_of(
    ClockChoice choice);  // "auto", "events", "event-segments", "cupti-kernel", "cupti-concurrent"

// What may be said of some evaluations alone, by a configuration file (config_file.h). The fields mean what
// RunConfig's do.
struct EvalSettings {
  std::optional<int> warmup_runs = std::nullopt;
  std::optional<int> iterations = std::nullopt;
  std::optional<int> num_trials = std::nullopt;
  std::optional<double> noise = std::nullopt;
  std::optional<double> rtol = std::nullopt;
  std::optional<double> atol = std::nullopt;
  std::optional<double> required_matched_ratio = std::nullopt;
  std::optional<bool> profile_baseline = std::nullopt;

  [[nodiscard]] bool is_empty() const;
  // Takes what `over` says, and keeps the rest.
  void merge(const EvalSettings& over);
};

// Settings by what they are for; later ones go before earlier ones.
struct SettingLayers {
  std::map<std::string, EvalSettings> by_dtype = {};  // of the first output
  std::map<std::string, EvalSettings> by_op_type = {};
  std::map<std::string, EvalSettings> by_definition = {};
  std::map<std::string, EvalSettings> by_workload = {};  // uuids

  [[nodiscard]] bool is_empty() const;
};

// The fields that are given, by their names in configuration files.
[[nodiscard]] nlohmann::ordered_json to_json(const EvalSettings& settings);

// How evaluations are made: everything `fib run` can be told besides what to run. Defaults are the format's,
// but for the number of calls.
struct RunConfig {
  // Nothing: what wanted_calls() makes of it.
  std::optional<int> warmup_runs = std::nullopt;
  std::optional<int> iterations = std::nullopt;
  std::optional<int> num_trials = std::nullopt;
  std::optional<double> noise = std::nullopt;
  std::optional<double> rtol = std::nullopt;
  std::optional<double> atol = std::nullopt;
  std::optional<double> required_matched_ratio = std::nullopt;  // else what the definition's rule says
  double timeout_s = 300;                                       // all calls of one solution on one workload
  double build_timeout_s = 600;                                 // one build
  double call_budget_s =
      5;  // calls of one evaluation, the reference's included; fewer are made when it is short
  std::uint64_t memory_budget_bytes = 0;  // for expected outputs; 0: an eighth of the machine's memory
  std::optional<std::string> seed;        // the run's secret, given back to replay a run
  bool profile_baseline = true;           // else reference latencies and speedups are 0
  ClockChoice clock = ClockChoice::kAuto;
  worker::Flush flush = worker::Flush::kClean;  // cuda: what the L2 cache holds when a call begins
  bool isolated = false;                        // a fresh worker for every workload
  bool allow_outside = false;                   // blobs may lie outside of their dataset
  bool synthesize_missing = false;              // inputs whose blobs are missing are made
  bool strict_inputs = false;                   // a changed input is INCORRECT_NUMERICAL
  ReferenceEngine reference = ReferenceEngine::kAuto;
  compile::TorchWay torch = compile::TorchWay::kAuto;        // what torch extensions are built with
  sandbox::Mode sandbox = sandbox::Mode::kAuto;              // of builds and of the code of solutions
  std::vector<std::filesystem::path> sandbox_readable = {};  // what they may read besides what they need
  SettingLayers layers = {};
  EvalSettings settings = {};  // for one evaluation, of the layers: for what is not given above
};

inline constexpr double kUsualTolerance = 1e-2;  // absolute and relative

// The configuration of one evaluation: with what the layers say of it. Calls are those of a layer only where
// the run says nothing of calls.
[[nodiscard]] RunConfig config_for(const RunConfig& config, const model::Definition& definition,
                                   const model::Workload& workload);

// Whether the reference is timed.
[[nodiscard]] bool times_reference(const RunConfig& config);

// --call-budget where it is not given: 5 seconds, on CUDA 2.
[[nodiscard]] double usual_call_budget_s(model::DeviceKind device);

// The calls of one evaluation: as many as iterations and num_trials say where one of them is given (else 50
// and 3, and 10 warm-up calls). Else trials of 10 calls, 15 at most, until the latency is known within
// `noise` (0.5 %), or as well as it helps (interval.h).
[[nodiscard]] CallPlan wanted_calls(const RunConfig& config);

// Throws Error naming the option when a value is out of range: warmup_runs >= 0, iterations and num_trials >
// 0, noise in (0, 1] and not beside these two, rtol and atol > 0, required_matched_ratio in (0, 1], times and
// budgets > 0.
void check(const RunConfig& config);

// How close outputs must be: what the workload says itself, else what the run says, else what is usual for
// the definition (`usual_ratio`, eval::usual_matched_ratio).
[[nodiscard]] eval::Tolerance tolerance_of(const RunConfig& config, const model::Workload& workload,
                                           double usual_ratio);

// What decides an evaluation's result, as it is written to evaluation.fib.config; --resume compares it. What
// layers say of it stands in "settings"; layers themselves do not count.
[[nodiscard]] nlohmann::ordered_json to_json(const RunConfig& config);

// The configurations whose traces --resume takes for done: this one, and where nothing is said of how many
// calls are made, that by which older versions made as many without being told.
[[nodiscard]] std::vector<nlohmann::ordered_json> accepted_configs(const RunConfig& config);

}  // namespace fib::bench
