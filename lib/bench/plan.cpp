#include "bench/plan.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "compile/builder.h"
#include "dataset/filter.h"
#include "dataset/trace_stream.h"
#include "model/measurement_record.h"

namespace fib::bench {
namespace {

// One option's patterns, and which of them matched something.
class PatternList {
 public:
  PatternList(const char* option, const std::vector<std::string>& patterns)
      : option_(option), patterns_(patterns) {}

  bool accepts(const std::string& name) {
    bool accepted = patterns_.empty();
    for (const auto& pattern : patterns_) {
      if (!dataset::matches({pattern}, name)) continue;
      matched_.insert(pattern);
      accepted = true;
    }
    return accepted;
  }

  void report_unmatched(std::vector<std::string>& unmatched) const {
    for (const auto& pattern : patterns_) {
      if (!matched_.contains(pattern)) unmatched.push_back(fmt::format("{} {}", option_, pattern));
    }
  }

 private:
  const char* option_;
  const std::vector<std::string>& patterns_;
  std::set<std::string> matched_;
};

std::vector<const model::Workload*> sorted_workloads(const dataset::Dataset& dataset,
                                                     const std::string& definition) {
  std::vector<const model::Workload*> workloads;
  if (const auto found = dataset.workloads.find(definition); found != dataset.workloads.end()) {
    for (const auto& workload : found->second) workloads.push_back(&workload);
  }
  std::sort(workloads.begin(), workloads.end(), [](auto* a, auto* b) { return a->uuid < b->uuid; });
  return workloads;
}

std::string why_not_here(const model::Solution& solution, const PlanTarget& target) {
  const bool known = solution.spec.language != model::Language::unknown;
  if (known && !model::may_run_on(solution, target.device)) {
    return fmt::format("language {} with target hardware [{}] does not run on {}",
                       solution.spec.language_text, fmt::join(solution.spec.target_hardware, ", "),
                       model::name_of(target.device));
  }
  return compile::unsupported_reason(solution, target.device, target.python, target.tvm_ffi, target.torch)
      .value_or("");
}

// Names and op_types of SOL-ExecBench, whose problems lie in folders of their own, do not choose a rule.
eval::Rule rule_of(const dataset::Dataset& dataset, const model::Definition& definition) {
  const auto file = dataset.definition_files.find(definition.name);
  const bool foreign = file != dataset.definition_files.end() && !file->second.starts_with("definitions/");
  return foreign ? eval::Rule::kDefault : eval::rule_of(definition);
}

class Planner {
 public:
  Planner(const Filters& filters, const PlanTarget& target, const std::set<DoneKey>& done,
          const SweptWorkloads* swept)
      : target_(target),
        done_(done),
        swept_(swept),
        definitions_("--definitions", filters.definitions),
        solutions_("--solutions", filters.solutions),
        authors_("--authors", filters.authors),
        op_types_("--op-types", filters.op_types),
        workloads_("--workloads", filters.workloads) {}

  void add(const dataset::Dataset& dataset, std::size_t index) {
    std::map<std::string, std::vector<const model::Solution*>> by_definition;
    for (const auto& [name, solution] : dataset.solutions)
      by_definition[solution.definition].push_back(&solution);
    for (const auto& [name, definition] : dataset.definitions) {
      const bool wanted = definitions_.accepts(name);
      if (!op_types_.accepts(definition.op_type) || !wanted) continue;
      eval::Rule rule{};
      std::string reason;
      try {
        rule = rule_of(dataset, definition);
      } catch (const Error& error) {
        reason = error.what();
      }
      for (const auto* solution : by_definition[name])
        add(dataset, {index, &definition, solution, nullptr, {}, 0, nullptr, rule}, reason);
    }
  }

  Plan finish() {
    for (const auto* list : {&definitions_, &solutions_, &authors_, &op_types_, &workloads_}) {
      list->report_unmatched(plan_.unmatched);
    }
    return std::move(plan_);
  }

 private:
  // `planned` lacks its workload.
  void add(const dataset::Dataset& dataset, PlannedEvaluation planned, const std::string& not_judged) {
    const auto index = planned.dataset;
    const model::Definition& definition = *planned.definition;
    const model::Solution& solution = *planned.solution;
    const bool wanted = solutions_.accepts(solution.name);
    if (!authors_.accepts(solution.author) || !wanted) return;
    auto reason = not_judged.empty() ? why_not_here(solution, target_) : not_judged;
    if (!reason.empty()) {
      plan_.skipped.push_back({solution.name, std::move(reason)});
      return;
    }
    const std::string hash = model::content_sha256(solution);
    for (const auto* workload : sorted_workloads(dataset, definition.name)) {
      const bool selected = workloads_.accepts(workload->uuid);
      const nlohmann::ordered_json* values = swept_values(index, definition.name, workload->uuid);
      if (swept_ != nullptr ? values == nullptr : !selected) continue;
      if (done_.contains({index, workload->uuid, solution.name, hash})) {
        ++plan_.resumed;
      } else {
        planned.workload = workload;
        planned.solution_sha256 = hash;
        plan_.evaluations.push_back(planned);
        if (values != nullptr) plan_.evaluations.back().sweep = *values;
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

  const PlanTarget& target_;
  const std::set<DoneKey>& done_;
  const SweptWorkloads* swept_;
  PatternList definitions_;
  PatternList solutions_;
  PatternList authors_;
  PatternList op_types_;
  PatternList workloads_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const std::vector<dataset::Dataset>& datasets, const Filters& filters,
               const PlanTarget& target, const std::set<DoneKey>& done, const SweptWorkloads* swept) {
  Planner planner(filters, target, done, swept);
  for (std::size_t i = 0; i < datasets.size(); ++i) planner.add(datasets[i], i);
  return planner.finish();
}

std::set<DoneKey> finished_evaluations(const std::vector<dataset::Dataset>& datasets,
                                       const std::string& hardware,
                                       const std::vector<nlohmann::ordered_json>& configs) {
  // Compared without the order of their keys.
  const std::vector<nlohmann::json> accepted(configs.begin(), configs.end());
  std::set<DoneKey> done;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    std::map<std::pair<std::string, std::string>, const model::Workload*> workloads;
    for (const auto& [definition, all] : datasets[i].workloads) {
      for (const auto& workload : all) workloads.emplace(std::pair(definition, workload.uuid), &workload);
    }
    std::vector<std::string> unreadable;  // load() has named them
    dataset::for_each_trace(datasets[i], {}, unreadable, [&](const model::Trace& trace) {
      if (!trace.evaluation || !trace.solution || trace.evaluation->environment.hardware != hardware) return;
      const auto record = model::measurement_record(*trace.evaluation);
      if (record.config.is_null() || !record.solution_sha256) return;
      const nlohmann::json config = record.config;
      if (std::find(accepted.begin(), accepted.end(), config) == accepted.end()) return;
      const auto now = workloads.find({trace.definition, trace.workload.uuid});
      if (now == workloads.end() || !model::same_tolerance(*now->second, trace.workload)) return;
      done.insert({i, trace.workload.uuid, *trace.solution, *record.solution_sha256});
    });
  }
  return done;
}

}  // namespace fib::bench
