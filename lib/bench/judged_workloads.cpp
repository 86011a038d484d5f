#include "bench/judged_workloads.h"

#include "bench/input_files.h"
#include "synthesis/input_sets.h"
#include "util/find.h"

namespace fib::bench {
namespace {

// Of what a judge says of a workload that it cannot open.
model::ObstacleCode code_of(std::string_view error) {
  if (error.find(worker::kTooLarge) != std::string_view::npos) return model::ObstacleCode::too_large;
  if (error.find(synthesis::kMadeByFunction) != std::string_view::npos)
    return model::ObstacleCode::unsupported_workload;
  return model::ObstacleCode::bad_workload;
}

}  // namespace

JudgedWorkload& JudgedWorkloads::open(const PlannedEvaluation& planned) {
  if (const auto known = workloads_.find(planned.workload); known != workloads_.end()) return known->second;
  if (!judge_) judge_ = judge_for(processes_);
  try {
    return workloads_.emplace(planned.workload, opened(planned)).first->second;
  } catch (const worker::JudgeLost&) {
    throw;
  } catch (const Error& error) {
    put_aside(planned.workload, {code_of(error.what()), error.what()});
    throw;
  }
}

JudgedWorkload JudgedWorkloads::opened(const PlannedEvaluation& planned) {
  const auto confinement = config_.allow_outside ? dataset::Confinement::none : dataset::Confinement::to_root;
  auto document =
      document_of(*planned.definition, *planned.workload, run_.datasets[planned.dataset].root, confinement,
                  config_.synthesize_missing ? MissingInputs::made : MissingInputs::refused);
  document.secret = secret_;
  document.rule = planned.rule;
  document.tolerance =
      tolerance_of(config_for(config_, *planned.definition, *planned.workload), *planned.workload,
                   eval::usual_matched_ratio(planned.rule, *planned.definition));
  document.memory_budget_bytes = config_.memory_budget_bytes;
  return {judge_->open(document), document.made};
}

const model::Obstacle* JudgedWorkloads::put_aside(const model::Workload* workload) const {
  return util::find_or_null(put_aside_, workload);
}

int JudgedWorkloads::lose_judge(const std::string& why) {
  judge_lost_ = why.substr(0, why.find('\n'));
  judge_.reset();
  workloads_.clear();
  return ++judges_lost_;
}

}  // namespace fib::bench
