#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/evaluation_parts.h"
#include "bench/measurement.h"
#include "bench/plan.h"
#include "compile/artifact.h"
#include "model/obstacle.h"

namespace fib::bench {

// Of which evaluations of solutions with host code, on CUDA, the device's own counters are read in some
// calls: of none, of one (or a few) of each solution's, or of each.
enum class CountWork { kNone, kOne, kEach };
[[nodiscard]] std::string name_of(CountWork count);  // "none", "one", "each"

// An evaluation that has been made.
struct HeldResult {
  const PlannedEvaluation* planned = nullptr;
  const compile::Artifact* artifact = nullptr;
  std::string started_utc;
  Measurement measurement;
  std::optional<model::Obstacle> obstacle{};  // in place of the measurement

  [[nodiscard]] bool passed() const { return !obstacle && measurement.status == model::Status::PASSED; }
  // Whether its count finds its median true.
  [[nodiscard]] bool is_as_claimed() const { return passed() && !measurement.latency_is_mean; }
  // Whether the count left so much open that it says nothing of other workloads.
  [[nodiscard]] bool tells_little() const { return !measurement.counted || !measurement.counted->tells; }
};

// Results of one solution's evaluations that stand when the device's own counters have been read in calls of
// some of them (counted_work.h). What is claimed is known before anybody knows which are counted. One thread.
class HeldResults {
 public:
  void add(HeldResult result, std::int64_t now_ns);

  // Whether there are some of another solution.
  [[nodiscard]] bool are_of_another(const model::Solution& solution) const {
    return !results_.empty() && results_.front().planned->solution != &solution;
  }

  // Whether no more are to be held: those that there are would be lost together with fib.
  [[nodiscard]] bool are_due(std::int64_t now_ns) const;

  // Gives back all of them, in the order in which they came. `count` counts one, and says there what that has
  // come to; false: the run was interrupted, and nothing is given back. The first one is chosen by the run's
  // secret; where its work was so little that it tells of no other, a second one is, too. They speak for the
  // rest, unless one of them is not as it claimed: then each is counted.
  [[nodiscard]] std::vector<HeldResult> counted(std::string_view secret,
                                                const std::function<bool(HeldResult&)>& count);

 private:
  std::vector<HeldResult> results_;
  std::int64_t since_ns_ = 0;
};

}  // namespace fib::bench
