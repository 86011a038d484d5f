#include "bench/lanes.h"

#include <algorithm>
#include <thread>

namespace fib::bench {

WorkQueue::WorkQueue(const Plan& plan, std::size_t lanes)
    : evaluations_(plan.evaluations),
      largest_(lanes == 1 ? evaluations_.size()
                          : std::max<std::size_t>(1, evaluations_.size() / (4 * lanes))) {}

std::span<const PlannedEvaluation> WorkQueue::next() {
  const std::lock_guard lock(mutex_);
  const std::size_t begin = next_;
  while (next_ < evaluations_.size() && next_ - begin < largest_ &&
         evaluations_[next_].solution == evaluations_[begin].solution &&
         evaluations_[next_].point == evaluations_[begin].point) {
    ++next_;
  }
  return evaluations_.subspan(begin, next_ - begin);
}

const PlannedEvaluation* WorkQueue::upcoming() {
  const std::lock_guard lock(mutex_);
  return next_ < evaluations_.size() ? &evaluations_[next_] : nullptr;
}

void Lanes::run() {
  std::vector<std::thread> threads;
  for (const auto& device : run_.session.environment().devices)
    threads.emplace_back([this, &device] { guarded(device); });
  for (auto& thread : threads) thread.join();
  for (auto piece = queue_.next(); !piece.empty() && !run_.stops(); piece = queue_.next()) {
    for (const auto& planned : piece) observer_.not_done(planned, problem_);
  }
  if (failure_) std::rethrow_exception(failure_);
}

void Lanes::guarded(const LaneDevice& device) {
  try {
    run_lane(device);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

bool Lanes::stops() {
  if (run_.stops()) return true;
  const std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

void Lanes::note_problem(const model::Obstacle& problem) {
  const std::lock_guard lock(mutex_);
  problem_ = problem;
}

void Lanes::run_lane(const LaneDevice& device) {
  auto& spawner = run_.session.spawner();
  if (!run_.session.take(device, waiting_, [&] { return stops() || spawner.lost(); })) {
    if (spawner.lost()) note_problem({model::ObstacleCode::machine_error, spawner.loss()});
    return;
  }
  for (auto piece = queue_.next(); !piece.empty();) {
    if (!run_point(device, piece)) return;
  }
}

// One point of the sweep, or what this lane gets of it: from `piece`, which is then the first of the next
// point or empty. False when the lane cannot go on.
bool Lanes::run_point(const LaneDevice& device, std::span<const PlannedEvaluation>& piece) {
  const std::size_t point = piece.front().point;
  Lane lane(run_, device, run_.sweep.points[point], observer_);
  const auto goes_on = [&] {
    const auto closed = lane.closed();
    if (closed) note_problem(*closed);
    return !closed && !stops();
  };
  while (goes_on() && !piece.empty() && piece.front().point == point) {
    const auto* upcoming = queue_.upcoming();
    lane.run(piece, upcoming != nullptr && upcoming->point == point ? upcoming : nullptr);
    if (goes_on()) piece = queue_.next();
  }
  lane.report_held();
  return goes_on();
}

}  // namespace fib::bench
