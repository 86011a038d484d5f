#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/config.h"
#include "compile/artifact.h"
#include "compile/python_interpreter.h"
#include "compile/tvm_ffi_package.h"
#include "dataset/filter.h"
#include "dataset/load.h"
#include "eval/rule.h"
#include "model/obstacle.h"
#include "model/solution.h"

namespace fib::bench {

// What makes an existing trace stand for a planned one: dataset, workload uuid, solution name, content hash.
using DoneKey = std::tuple<std::size_t, std::string, std::string, std::string>;

// What --resume leaves out, and what became of it.
using DoneEvaluations = std::map<DoneKey, model::Status>;

// The rule that judges solutions of a dataset's definition. Names and op_types of SOL-ExecBench, whose
// problems lie in folders of their own, choose none. Throws Error when two rules claim the definition.
[[nodiscard]] eval::Rule rule_for(const dataset::Dataset& dataset, const model::Definition& definition);

// One solution on one workload. Pointers into the loaded datasets, which must outlive the plan.
struct PlannedEvaluation {
  std::size_t dataset = 0;
  const model::Definition* definition = nullptr;
  const model::Solution* solution = nullptr;
  const model::Workload* workload = nullptr;
  std::string solution_sha256 = {};  // model::content_sha256 of the solution
  std::size_t point = 0;             // which configuration of the run's sweep (sweep.h)
  // Swept options and axes with their values here; null where nothing is swept.
  nlohmann::ordered_json sweep = nullptr;
  eval::Rule rule = eval::Rule::kDefault;  // that judges it
  // Whose input sets its calls have (worker::SetId): this solution's alone. A copy of it with another name,
  // author or dataset has others, since what one process leaves in caches of the system another one can read
  // there.
  std::string set_owner = {};
};

// The workloads that a sweep over axes runs, by dataset and definition: uuid -> values of the swept axes.
using SweptWorkloads =
    std::map<std::pair<std::size_t, std::string>, std::map<std::string, nlohmann::ordered_json>>;

// What the planned solutions are to run on.
struct PlanTarget {
  model::DeviceKind device = model::DeviceKind::cpu;
  std::optional<compile::PythonInterpreter> python = {};  // compile::find_python()
  std::optional<compile::TvmFfi> tvm_ffi = {};            // compile::find_tvm_ffi()
  compile::TorchWay torch = compile::TorchWay::kAuto;     // what torch extensions are built with
};

// What could not be planned for a reason that is not the solution's.
struct SkippedSolution {
  std::string solution;
  model::Obstacle obstacle;
};

struct Plan {
  std::vector<PlannedEvaluation> evaluations;    // by dataset, definition, solution, workload uuid
  std::vector<SkippedSolution> skipped;          // cannot run here; no trace
  std::vector<SkippedSolution> incomplete = {};  // whose definition or its workloads the dataset lacks
  std::size_t resumed = 0;                       // left out because their trace exists
  std::size_t resumed_failures = 0;              // of these: whose trace says that they did not pass
  std::set<std::string> failed_before = {};      // the solutions of these
};

// Pure: the same arguments give the same plan. What the filter says of results is not looked at. `done` holds
// what --resume skips. With `swept`, its workloads are run in place of those that the filter selects, where
// its conditions on axes hold.
[[nodiscard]] Plan make_plan(const std::vector<dataset::Dataset>& datasets, const dataset::Filter& filter,
                             const PlanTarget& target, const DoneEvaluations& done,
                             const SweptWorkloads* swept = nullptr);

// Whether a trace with this configuration (evaluation.fib.config) stands for an evaluation of the definition
// (null: it is not there) on the workload.
using AcceptsConfig =
    std::function<bool(const nlohmann::json&, const model::Definition*, const model::Workload&)>;

// Those of accepted_configs(), with the layers of `config`.
[[nodiscard]] AcceptsConfig accepting(const RunConfig& config);

// Told of each trace that lacks nothing but an accepted configuration: what it would stand for, and its own.
using RejectedConfig = std::function<void(const DoneKey&, const nlohmann::json& config)>;

// The keys of the traces that --resume accepts: same hardware and an accepted configuration, of the
// definition as it is now, and of a workload with the sizes, inputs and tolerance that it has now. Of several
// traces of a key the latest tells what became of it, ties go by the order of reading; but any failure of the
// latest run does. Traces from before `since` (microseconds since 1970; nothing: all are looked at) are none.
[[nodiscard]] DoneEvaluations finished_evaluations(const std::vector<dataset::Dataset>& datasets,
                                                   const std::string& hardware, const AcceptsConfig& accepts,
                                                   const RejectedConfig& rejected = {},
                                                   std::optional<std::int64_t> since = {});

}  // namespace fib::bench
