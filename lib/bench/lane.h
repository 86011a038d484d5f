#pragma once

#include <optional>
#include <span>
#include <string>

#include "bench/evaluation.h"
#include "bench/held_results.h"
#include "bench/judged_workloads.h"
#include "bench/reference_runner.h"
#include "bench/run_state.h"
#include "bench/solution_worker.h"

namespace fib::bench {

// What a lane reports, from its own thread; several lanes may report at once.
class LaneObserver {
 public:
  virtual ~LaneObserver() = default;
  virtual void started(const PlannedEvaluation& planned) = 0;
  // It has been made, and is reported when it is known whether it stands (held_results.h).
  virtual void held(const PlannedEvaluation& planned) = 0;
  // May throw dataset::DiskFull, having done nothing: it is called once more when the solution's worker is
  // gone.
  virtual void finished(const PlannedEvaluation& planned, const model::Evaluation& evaluation) = 0;
  // It has no trace: nothing that can be said against the solution.
  virtual void not_done(const PlannedEvaluation& planned, const model::Obstacle& obstacle) = 0;
  virtual void warning(const std::string& text) = 0;
};

// One device at one point of the sweep: its judge, its reference worker, and one solution worker at a time.
// Works through planned evaluations in order. One thread.
class Lane {
 public:
  // References must outlive the lane.
  Lane(const RunState& run, const LaneDevice& device, const SweepPoint& point, LaneObserver& observer);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Stops early when interrupted, and when the run ends before its plan is done. May be called again for
  // more; what is likely to begin that is `upcoming`, null where nothing comes. It must outlive the call, and
  // the evaluations must outlive the lane.
  void run(std::span<const PlannedEvaluation> evaluations, const PlannedEvaluation* upcoming);

  // Counts what run() has held back, and reports it: to be called after the last run().
  void report_held();

  // Why it cannot go on; empty while it can: the judge has died too often, the device cannot be used, or the
  // keeper is lost. What run() is given then is reported as not done, and so is what was under way.
  [[nodiscard]] std::optional<model::Obstacle> closed() const;

 private:
  void evaluate(const PlannedEvaluation& planned);
  void measure(HeldResult result, double build_ms);
  // Fills the result's measurement, or its obstacle: makes the evaluation, or counts it where its measurement
  // wants that. False: the run was interrupted.
  [[nodiscard]] bool fill(HeldResult& result);
  std::optional<Measurement> made(const PlannedEvaluation& planned, const HeldResult& result);
  std::optional<Measurement> attempt(const PlannedEvaluation& planned, const HeldResult& result);
  Measurement make_evaluation_run(const PlannedEvaluation& planned, const HeldResult& result);
  void begin_processes(const PlannedEvaluation& planned, const compile::Artifact& artifact);
  void begin_next_worker(const compile::Artifact& current);
  void report(const HeldResult& result);
  void lose_judge(const std::string& reason);
  bool close_if_lost();
  [[nodiscard]] const RunConfig& config() const { return point_.config; }

  const RunState& run_;
  const LaneDevice& device_;
  const SweepPoint& point_;
  LaneObserver& observer_;
  const std::string secret_;
  const DeviceProcesses processes_;
  ReferenceRunner reference_;
  JudgedWorkloads workloads_;
  SolutionWorker worker_;
  const PlannedEvaluation* upcoming_ = nullptr;  // which likely gets the next worker, while one is made
  std::string closed_;
  HeldResults held_;
};

}  // namespace fib::bench
