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
#include "bench/early_end.h"
#include "bench/evaluation.h"
#include "bench/failure_counts.h"
#include "bench/guest_pool.h"
#include "bench/jit_cache.h"
#include "bench/next_worker.h"
#include "bench/reference_runner.h"

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
  const EarlyEnd& early_end;
  FailureCounts& failures;
  GuestPool* guests = nullptr;    // what runs Python code; null: no Python
  std::string no_torch = {};      // why references cannot run in Python; empty: they can
  JitCache* jit_cache = nullptr;  // null: just-in-time compilers begin anew
};

// What a lane reports, from its own thread; several lanes may report at once.
class LaneObserver {
 public:
  virtual ~LaneObserver() = default;
  virtual void started(const PlannedEvaluation& planned) = 0;
  // May throw dataset::DiskFull, having done nothing: it is called once more when the solution's worker is
  // gone.
  virtual void finished(const PlannedEvaluation& planned, const model::Evaluation& evaluation) = 0;
  // It has no trace: nothing that can be said against the solution.
  virtual void not_done(const PlannedEvaluation& planned, model::Fault fault, const std::string& reason) = 0;
  virtual void warning(const std::string& text) = 0;
};

// One device: its judge, its reference worker, and one solution worker at a time. Works through planned
// evaluations in order. One thread.
class Lane {
 public:
  Lane(const LaneSetup& setup, LaneObserver& observer);
  ~Lane();

  // Stops early when interrupted, and when the run ends before its plan is done. May be called again for
  // more; what is likely to begin that is `upcoming`, null where nothing comes. It must outlive the call.
  void run(std::span<const PlannedEvaluation> evaluations, const PlannedEvaluation* upcoming);

  // Why it cannot go on; empty while it can: the judge has died twice, the device cannot be used, or the
  // keeper is lost. What run() is given then is reported as not done, and so is what was under way.
  [[nodiscard]] const std::string& closed() const { return closed_; }

 private:
  void evaluate(const PlannedEvaluation& planned);
  void measure(const PlannedEvaluation& planned, const compile::Artifact& artifact, double build_ms);
  std::optional<Measurement> made(const PlannedEvaluation& planned, const compile::Artifact& artifact);
  std::optional<Measurement> attempt(const PlannedEvaluation& planned, const compile::Artifact& artifact);
  Measurement make_evaluation_run(const PlannedEvaluation& planned, const compile::Artifact& artifact);
  void end_solution();
  void keep_jit_files();
  bool start_solution(const PlannedEvaluation& planned, const compile::Artifact& artifact,
                      Measurement& failed);
  [[nodiscard]] ReferenceSetup reference_setup() const;
  [[nodiscard]] std::int64_t load_limit_ns(const compile::Artifact& artifact) const;
  std::unique_ptr<worker::WorkerClient> make_client(const compile::Artifact& artifact);
  void start_worker(const compile::Artifact& artifact, std::int64_t deadline_ns);
  [[nodiscard]] const compile::Artifact* upcoming_artifact() const;
  [[nodiscard]] worker::Confine confine_request(const compile::Artifact& artifact) const;
  void begin_next_worker(const compile::Artifact& artifact);
  void await_next_guest() const;
  worker::Answer<worker::Loaded> load(const PlannedEvaluation& planned, const compile::Artifact& artifact,
                                      std::int64_t deadline_ns);
  [[nodiscard]] worker::UseDevice use_device() const;
  void start_judge();
  JudgedWorkload& judged(const PlannedEvaluation& planned);
  void report(const PlannedEvaluation& planned, const Measurement& measurement,
              const std::string& started_utc);
  void lose_judge(const std::string& reason);
  bool close_if_lost();

  const LaneSetup& setup_;
  LaneObserver& observer_;
  std::unique_ptr<worker::JudgeClient> judge_;
  ReferenceRunner reference_;
  NextWorker next_worker_;
  const PlannedEvaluation* upcoming_ = nullptr;   // which likely gets the next worker, while one is made
  std::unique_ptr<worker::WorkerClient> worker_;  // the solution's
  WorkerFacts facts_;                             // of it
  const model::Solution* running_ = nullptr;      // whose worker lives
  std::string jit_key_;                           // of what its just-in-time compilers make; empty: none
  std::map<const model::Workload*, JudgedWorkload> workloads_;
  std::map<const model::Workload*, std::string>
      unusable_;  // why it has no expected outputs: the dataset's fault
  int judges_lost_ = 0;
  std::string closed_;
};

}  // namespace fib::bench
