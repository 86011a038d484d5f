#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bench/config.h"
#include "bench/device_processes.h"
#include "bench/evaluation_parts.h"
#include "bench/jit_cache.h"
#include "bench/measurement.h"
#include "bench/next_worker.h"
#include "compile/artifact.h"

namespace fib::bench {

// The worker of the solution that is being evaluated, and beside it that of the next solution, which is made
// ready while nobody waits for it. One thread.
class SolutionWorker {
 public:
  // `jit_cache` may be null: just-in-time compilers begin anew. `warn` is told of problems that stop
  // nothing. References must outlive this.
  SolutionWorker(const DeviceProcesses& processes, const RunConfig& config, std::string architecture,
                 JitCache* jit_cache, std::function<void(const std::string&)> warn)
      : processes_(processes),
        config_(config),
        architecture_(std::move(architecture)),
        jit_cache_(jit_cache),
        warn_(std::move(warn)) {}
  ~SolutionWorker();
  SolutionWorker(const SolutionWorker&) = delete;
  SolutionWorker& operator=(const SolutionWorker&) = delete;

  // Whether the worker lives, has this solution loaded, and nothing failed in it.
  [[nodiscard]] bool has_loaded(const model::Solution& solution) const;

  // Of the worker whose solution is loaded: whether this is the workload for which load() was called.
  [[nodiscard]] bool was_loaded_for(const model::Workload& workload) const { return first_ == &workload; }

  // Ends the worker before, and loads the solution in another. What the solution did wrong, in place of a
  // measurement; nothing: it is loaded. Throws Error for what is no solution's fault.
  [[nodiscard]] std::optional<Measurement> load(const PlannedEvaluation& planned,
                                                const compile::Artifact& artifact);

  // Begins to make a worker ready for load(), with its device, where nothing is timed before load() has
  // ended.
  void begin(const compile::Artifact& artifact);

  // Begins to make the next solution's worker ready, beside this solution's.
  void begin_next(const compile::Artifact& current, const compile::Artifact& following);

  // Until the next worker's device is started, where one is being started.
  void await_next_device() const;

  // Of the solution that was loaded last.
  [[nodiscard]] worker::WorkerClient& client() { return *worker_; }
  [[nodiscard]] const WorkerFacts& facts() const { return facts_; }
  // Whether it ended by a SIGKILL that did not come from here.
  [[nodiscard]] bool killed_by_others() { return worker_ && worker_->killed_by_others(); }

  // It failed: it is not used again, though it lives on.
  void spoil() { running_ = nullptr; }

  // Kills it; false where there was none.
  bool kill();

  // The worker, killed, for whoever waits for its end; what its just-in-time compilers have made is kept. May
  // be null.
  [[nodiscard]] std::unique_ptr<worker::WorkerClient> give_up();

 private:
  void end() { (void)give_up(); }
  [[nodiscard]] NextWorker& next() const { return processes_.next->solution; }
  void keep_jit_files();
  void begin_next_guest(const WorkerKind& kind);
  void start(const compile::Artifact& artifact, std::int64_t deadline_ns);
  [[nodiscard]] WorkerKind kind_of(const compile::Artifact& artifact) const;
  [[nodiscard]] worker::Answer<worker::Loaded> ask_to_load(const PlannedEvaluation& planned,
                                                           const compile::Artifact& artifact,
                                                           std::int64_t deadline_ns);

  const DeviceProcesses& processes_;
  const RunConfig& config_;
  std::string architecture_;
  JitCache* jit_cache_;
  std::function<void(const std::string&)> warn_;
  std::unique_ptr<worker::WorkerClient> worker_;
  WorkerFacts facts_;
  const model::Solution* running_ = nullptr;  // whose worker lives and may be used
  const model::Workload* first_ = nullptr;    // that of load()
  std::string jit_key_;                       // of what its just-in-time compilers make; empty: none
};

}  // namespace fib::bench
