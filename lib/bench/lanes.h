#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "bench/lane.h"
#include "bench/plan.h"
#include "bench/run_state.h"

namespace fib::bench {

// Gives lanes the next piece of the plan: evaluations of one solution at one point of the sweep, so that its
// worker is started once, but no more than leaves work for the other lanes. Any thread.
class WorkQueue {
 public:
  // The plan must outlive the queue.
  WorkQueue(const Plan& plan, std::size_t lanes);

  // Empty: nothing is left.
  [[nodiscard]] std::span<const PlannedEvaluation> next();

  // What next() would begin with now; another lane may take it. Null: nothing is left.
  [[nodiscard]] const PlannedEvaluation* upcoming();

 private:
  std::mutex mutex_;
  std::span<const PlannedEvaluation> evaluations_;
  std::size_t largest_;
  std::size_t next_ = 0;
};

// The lanes of a run, one a device, each in a thread of its own. A lane takes its device's machine-wide lock
// and then pieces of the plan until none is left.
class Lanes {
 public:
  // `waiting` is told which device another run holds; several threads may call it at once. References must
  // outlive this.
  Lanes(const RunState& run, const Plan& plan, LaneObserver& observer,
        std::function<void(const std::string& device)> waiting)
      : run_(run),
        queue_(plan, run.session.environment().devices.size()),
        observer_(observer),
        waiting_(std::move(waiting)) {}

  // Until all lanes have ended. What is left when every lane has closed is reported as not done. Throws what
  // a lane threw (a disk is full, say), which ends the others too.
  void run();

 private:
  void guarded(const LaneDevice& device);
  void run_lane(const LaneDevice& device);
  [[nodiscard]] bool run_point(const LaneDevice& device, std::span<const PlannedEvaluation>& piece);
  [[nodiscard]] bool stops();
  void note_problem(const model::Obstacle& problem);

  const RunState& run_;
  WorkQueue queue_;
  LaneObserver& observer_;
  std::function<void(const std::string&)> waiting_;
  std::mutex mutex_;
  model::Obstacle problem_{};  // why a lane has closed
  std::exception_ptr failure_;
};

}  // namespace fib::bench
