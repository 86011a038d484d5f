#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/build_pool.h"
#include "bench/evaluation.h"

namespace fib::bench {

// What a lane needs to know of the run; references must outlive the lane.
struct LaneSetup {
  worker::Spawner& spawner;
  worker::ChildSetup children;
  const RunConfig& config;
  RunIdentity identity;
  LaneDevice device;
  unsigned reference_threads = 1;
  std::string secret;
  const std::vector<dataset::Dataset>& datasets;
  const std::map<BuildKey, BuildOutcome>& builds;
  const std::atomic<bool>& interrupted;
};

// What a lane reports, from its own thread; several lanes may report at once.
class LaneObserver {
 public:
  virtual ~LaneObserver() = default;
  virtual void started(const PlannedEvaluation& planned) = 0;
  virtual void finished(const PlannedEvaluation& planned, const model::Evaluation& evaluation) = 0;
  // It has no trace: nothing that can be said against the solution.
  virtual void not_done(const PlannedEvaluation& planned, const std::string& reason) = 0;
};

// One device: its judge, its reference worker, and one solution worker at a time. Works through planned
// evaluations in order. One thread.
class Lane {
 public:
  Lane(const LaneSetup& setup, LaneObserver& observer);
  ~Lane();

  // Stops early when interrupted. May be called again for more.
  void run(std::span<const PlannedEvaluation> evaluations);

  // Why it cannot go on; empty while it can: the judge has died twice, or the device cannot be used. What
  // run() is given then is reported as not done.
  [[nodiscard]] const std::string& closed() const { return closed_; }

 private:
  void evaluate(const PlannedEvaluation& planned);
  void measure(const PlannedEvaluation& planned, const compile::Artifact& artifact);
  std::optional<Measurement> attempt(const PlannedEvaluation& planned, const compile::Artifact& artifact);
  Measurement make_evaluation_run(const PlannedEvaluation& planned, const compile::Artifact& artifact);
  bool start_solution(const PlannedEvaluation& planned, const compile::Artifact& artifact,
                      Measurement& failed);
  [[nodiscard]] worker::UseDevice use_device() const;
  void start_judge();
  JudgedWorkload& judged(const PlannedEvaluation& planned);
  void report(const PlannedEvaluation& planned, const Measurement& measurement,
              const std::string& started_utc);
  void lose_judge();

  const LaneSetup& setup_;
  LaneObserver& observer_;
  std::unique_ptr<worker::JudgeClient> judge_;
  ReferenceRunner reference_;
  SolutionWorker solution_;
  const model::Solution* running_ = nullptr;  // whose worker lives
  std::map<const model::Workload*, JudgedWorkload> workloads_;
  std::map<const model::Workload*, std::string> unusable_;  // why it has no expected outputs
  int judges_lost_ = 0;
  std::string closed_;
};

}  // namespace fib::bench
