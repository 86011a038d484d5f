#include "bench/plan.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "compile/builder.h"
#include "dataset/filter.h"
#include "dataset/load.h"
#include "dataset/trace_stream.h"
#include "model/measurement_record.h"
#include "model/workload_order.h"
#include "util/clock.h"
#include "util/find.h"
#include "util/hash.h"

namespace fib::bench {
namespace {

// A run of a week makes as many; each takes some 500 bytes.
constexpr std::size_t kMostEvaluations = 1'000'000;

std::vector<const model::Workload*> sorted_workloads(const dataset::Dataset& dataset,
                                                     const model::Definition& definition) {
  std::vector<const model::Workload*> workloads;
  if (const auto found = dataset.workloads.find(definition.name); found != dataset.workloads.end()) {
    for (const auto& workload : found->second) workloads.push_back(&workload);
  }
  std::sort(workloads.begin(), workloads.end(),
            [&](auto* left, auto* right) { return model::is_smaller(&definition, *left, *right); });
  return workloads;
}

std::optional<model::Obstacle> why_not_here(const model::Solution& solution, const PlanTarget& target) {
  const bool known = solution.spec.language != model::Language::unknown;
  if (known && !model::may_run_on(solution, target.device)) {
    return model::Obstacle{
        model::ObstacleCode::other_device,
        fmt::format("language {} with target hardware [{}] does not run on {}", solution.spec.language_text,
                    fmt::join(solution.spec.target_hardware, ", "), model::name_of(target.device))};
  }
  return compile::unsupported_reason(solution, target.device, target.python, target.tvm_ffi, target.torch);
}

// Of solutions/<author>/<op_type>/<definition>/<solution>.json; empty: the file lies elsewhere.
std::string op_type_of(const std::filesystem::path& file) {
  const std::vector<std::filesystem::path> parts(file.begin(), file.end());
  return parts.size() == 5 ? parts[2].string() : std::string();
}

class Planner {
 public:
  Planner(const dataset::Filter& filter, const PlanTarget& target, const DoneEvaluations& done,
          const SweptWorkloads* swept)
      : filter_(filter), target_(target), done_(done), swept_(swept) {}

  void add(const dataset::Dataset& dataset, std::size_t index) {
    std::map<std::string, std::vector<const model::Solution*>> by_definition;
    for (const auto& [name, solution] : dataset.solutions)
      by_definition[solution.definition].push_back(&solution);
    for (const auto& [name, definition] : dataset.definitions) {
      if (!filter_.holds_definition(dataset, name)) continue;
      eval::Rule rule{};
      std::optional<model::Obstacle> not_judged;
      try {
        rule = rule_for(dataset, definition);
      } catch (const Error& error) {
        not_judged = {model::ObstacleCode::bad_definition, error.what()};
      }
      const auto workloads = sorted_workloads(dataset, definition);
      for (const auto* solution : by_definition[name])
        add(dataset, workloads, {index, &definition, solution, nullptr, {}, 0, nullptr, rule}, not_judged);
    }
    if (swept_ == nullptr) add_incomplete(dataset, by_definition);
  }

  Plan finish() { return std::move(plan_); }

 private:
  using Solutions = std::map<std::string, std::vector<const model::Solution*>>;  // by definition

  void add_incomplete(const dataset::Dataset& dataset, const Solutions& by_definition) {
    for (const auto& [definition, solutions] : by_definition) {
      const bool is_known = dataset.definitions.contains(definition);
      const auto workloads = dataset.workloads.find(definition);
      if (is_known && workloads != dataset.workloads.end() && !workloads->second.empty()) continue;
      for (const auto* solution : solutions) {
        dataset::Filter filter = filter_;
        // The op type of a definition that is not there is known by the solution's folder alone, if at all.
        if (!is_known) {
          const std::string op_type = op_type_of(dataset.solution_files.at(solution->name));
          if (!op_type.empty() && !dataset::matches(filter.op_types, op_type)) continue;
          filter.op_types.clear();
        }
        if (!filter.may_hold(dataset, definition, &solution->name)) continue;
        const char* why = is_known ? "there are no workloads of" : "there is no definition";
        plan_.incomplete.push_back(
            {solution->name, {model::ObstacleCode::no_workloads, fmt::format("{} {}", why, definition)}});
      }
    }
  }

  // `planned` lacks its workload.
  void add(const dataset::Dataset& dataset, const std::vector<const model::Workload*>& workloads,
           PlannedEvaluation planned, const std::optional<model::Obstacle>& not_judged) {
    const auto index = planned.dataset;
    const model::Definition& definition = *planned.definition;
    const model::Solution& solution = *planned.solution;
    if (!filter_.holds_solution(dataset, solution)) return;
    if (const auto obstacle = not_judged ? not_judged : why_not_here(solution, target_)) {
      plan_.skipped.push_back({solution.name, *obstacle});
      return;
    }
    const std::string hash = model::content_sha256(solution);
    const std::string owner = util::Sha256()
                                  .add(hash)
                                  .add(solution.name)
                                  .add(solution.author)
                                  .add(static_cast<std::uint64_t>(index))
                                  .hex();
    for (const auto* workload : workloads) {
      const nlohmann::ordered_json* values = swept_values(index, definition.name, workload->uuid);
      const bool selected = swept_ != nullptr
                                ? values != nullptr && filter_.holds_axes(dataset, definition.name, *workload)
                                : filter_.holds_workload(dataset, definition.name, *workload);
      if (!selected) continue;
      const auto done = done_.find({index, workload->uuid, solution.name, hash});
      if (done != done_.end()) {
        ++plan_.resumed;
        if (done->second != model::Status::PASSED) {
          ++plan_.resumed_failures;
          plan_.failed_before.insert(solution.name);
        }
      } else {
        planned.workload = workload;
        planned.solution_sha256 = hash;
        planned.set_owner = owner;
        plan_.evaluations.push_back(planned);
        if (values != nullptr) plan_.evaluations.back().sweep = *values;
        if (plan_.evaluations.size() > kMostEvaluations)
          throw Error("more than {} evaluations are planned: choose some definitions, solutions or workloads",
                      kMostEvaluations);
      }
    }
  }

  // Null when the workload is not one of the sweep's.
  [[nodiscard]] const nlohmann::ordered_json* swept_values(std::size_t index, const std::string& definition,
                                                           const std::string& uuid) const {
    if (swept_ == nullptr) return nullptr;
    const auto workloads = swept_->find({index, definition});
    if (workloads == swept_->end()) return nullptr;
    const auto found = workloads->second.find(uuid);
    return found == workloads->second.end() ? nullptr : &found->second;
  }

  const dataset::Filter& filter_;
  const PlanTarget& target_;
  const DoneEvaluations& done_;
  const SweptWorkloads* swept_;
  Plan plan_;
};

// What one trace says of an evaluation.
struct Verdict {
  std::optional<std::int64_t> time;  // unreadable times are the oldest
  std::optional<std::string> run_id;
  model::Status status;

  [[nodiscard]] bool replaces(const Verdict& earlier) const {
    const bool of_same_run = run_id && run_id == earlier.run_id;
    if (of_same_run) return earlier.status == model::Status::PASSED;
    return time >= earlier.time;
  }
};

// The configurations that are accepted for an evaluation, compared without the order of their keys.
class Accepted {
 public:
  explicit Accepted(RunConfig config)
      : config_(std::move(config)), of_all_(parsed(accepted_configs(config_))) {}

  [[nodiscard]] bool operator()(const nlohmann::json& config, const model::Definition* definition,
                                const model::Workload& workload) {
    const bool is_common = config_.layers.is_empty() || definition == nullptr;
    const auto& accepted = is_common ? of_all_ : of(*definition, workload);
    return std::find(accepted.begin(), accepted.end(), config) != accepted.end();
  }

 private:
  static std::vector<nlohmann::json> parsed(const std::vector<nlohmann::ordered_json>& configs) {
    return {configs.begin(), configs.end()};
  }

  const std::vector<nlohmann::json>& of(const model::Definition& definition,
                                        const model::Workload& workload) {
    const auto [entry, is_new] = known_.try_emplace({definition.name, workload.uuid});
    if (is_new) entry->second = parsed(accepted_configs(config_for(config_, definition, workload)));
    return entry->second;
  }

  RunConfig config_;
  std::vector<nlohmann::json> of_all_;
  std::map<std::pair<std::string, std::string>, std::vector<nlohmann::json>> known_;
};

}  // namespace

eval::Rule rule_for(const dataset::Dataset& dataset, const model::Definition& definition) {
  return dataset.of_problems ? eval::Rule::kDefault : eval::rule_of(definition);
}

Plan make_plan(const std::vector<dataset::Dataset>& datasets, const dataset::Filter& filter,
               const PlanTarget& target, const DoneEvaluations& done, const SweptWorkloads* swept) {
  Planner planner(filter, target, done, swept);
  for (std::size_t i = 0; i < datasets.size(); ++i) planner.add(datasets[i], i);
  return planner.finish();
}

namespace {

// Empty where two rules claim the definition.
std::string rule_name(const dataset::Dataset& dataset, const model::Definition& definition) try {
  return std::string(eval::name_of(rule_for(dataset, definition)));
} catch (const Error&) {
  return {};
}

}  // namespace

AcceptsConfig accepting(const RunConfig& config) { return Accepted(config); }

DoneEvaluations finished_evaluations(const std::vector<dataset::Dataset>& datasets,
                                     const std::string& hardware, const AcceptsConfig& accepts,
                                     const RejectedConfig& rejected, std::optional<std::int64_t> since) {
  dataset::Filter traces;
  traces.since = since;
  std::map<DoneKey, Verdict> verdicts;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    std::map<std::pair<std::string, std::string>, const model::Workload*> workloads;
    for (const auto& [definition, all] : datasets[i].workloads) {
      for (const auto& workload : all) workloads.emplace(std::pair(definition, workload.uuid), &workload);
    }
    std::map<const model::Definition*, std::string> hashes;
    const auto hash_of = [&](const model::Definition& definition) -> const std::string& {
      std::string& hash = hashes[&definition];
      if (hash.empty()) hash = model::content_sha256(definition);
      return hash;
    };
    std::vector<std::string> unreadable;  // load() has named them
    dataset::for_each_trace(datasets[i], traces, unreadable, [&](const model::Trace& trace) {
      if (!trace.evaluation || !trace.solution || trace.evaluation->environment.hardware != hardware) return;
      const auto record = model::measurement_record(*trace.evaluation);
      if (record.config.is_null() || !record.solution_sha256) return;
      const auto now = workloads.find({trace.definition, trace.workload.uuid});
      if (now == workloads.end()) return;
      const auto* known = util::find_or_null(datasets[i].definitions, trace.definition);
      if (known != nullptr && record.definition_sha256 && *record.definition_sha256 != hash_of(*known))
        return;
      if (!model::same_work(*now->second, trace.workload)) return;
      if (known != nullptr && record.rule && *record.rule != rule_name(datasets[i], *known)) return;
      if (!model::same_tolerance(*now->second, trace.workload)) return;
      const DoneKey key{i, trace.workload.uuid, *trace.solution, *record.solution_sha256};
      if (!accepts(record.config, known, *now->second)) {
        if (rejected) rejected(key, record.config);
        return;
      }
      const Verdict verdict{util::parse_past_timestamp(trace.evaluation->timestamp), record.run_id,
                            trace.evaluation->status};
      const auto [earlier, is_first] = verdicts.emplace(key, verdict);
      if (!is_first && verdict.replaces(earlier->second)) earlier->second = verdict;
    });
  }
  DoneEvaluations done;
  for (const auto& [key, verdict] : verdicts) done.emplace(key, verdict.status);
  return done;
}

}  // namespace fib::bench
