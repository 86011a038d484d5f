#pragma once

#include <map>
#include <memory>
#include <string>

#include "bench/config.h"
#include "bench/device_processes.h"
#include "bench/evaluation_parts.h"
#include "bench/plan.h"
#include "bench/run_state.h"

namespace fib::bench {

// A lane's judge, and the workloads that were opened at it. One thread.
class JudgedWorkloads {
 public:
  // `secret` is that of the lane's point of the sweep. References must outlive this.
  JudgedWorkloads(const RunState& run, const DeviceProcesses& processes, const RunConfig& config,
                  const std::string& secret)
      : run_(run), processes_(processes), config_(config), secret_(secret) {}

  // The workload of an evaluation, opened at the judge, which is started where there is none. Throws
  // worker::JudgeLost and DeviceUnusable; Error for what is wrong with the workload, which is remembered.
  [[nodiscard]] JudgedWorkload& open(const PlannedEvaluation& planned);

  [[nodiscard]] worker::JudgeClient& judge() { return *judge_; }

  // The judge, killed, for whoever waits for its end: nothing is asked of it any more. May be null.
  [[nodiscard]] std::unique_ptr<worker::JudgeClient> give_up_judge() {
    if (judge_) judge_->kill();
    return std::move(judge_);
  }

  // Why none of a workload's evaluations is made; null: they are.
  [[nodiscard]] const model::Obstacle* put_aside(const model::Workload* workload) const;
  void put_aside(const model::Workload* workload, const model::Obstacle& reason) {
    put_aside_[workload] = reason;
  }

  // The judge was lost: the next workload gets another one. Says how many were lost since it worked last.
  int lose_judge(const std::string& why);
  // Why, where one was lost last, in one line.
  [[nodiscard]] const std::string& judge_lost() const { return judge_lost_; }
  void note_success() { judges_lost_ = 0; }

 private:
  [[nodiscard]] JudgedWorkload opened(const PlannedEvaluation& planned);

  const RunState& run_;
  const DeviceProcesses& processes_;
  const RunConfig& config_;
  const std::string& secret_;
  std::unique_ptr<worker::JudgeClient> judge_;
  std::map<const model::Workload*, JudgedWorkload> workloads_;
  std::map<const model::Workload*, model::Obstacle> put_aside_;
  int judges_lost_ = 0;
  std::string judge_lost_;
};

}  // namespace fib::bench
