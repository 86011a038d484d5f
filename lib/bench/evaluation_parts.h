#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/call_plan.h"
#include "bench/config.h"
#include "bench/failure.h"
#include "bench/lane_device.h"
#include "bench/plan.h"
#include "bench/reference.h"
#include "model/obstacle.h"
#include "sandbox/process.h"
#include "util/clock.h"
#include "util/error.h"
#include "worker/judge.h"
#include "worker/worker.h"

namespace fib::bench {

// A workload as the judge knows it, and what was learned about it, for the evaluations to come.
struct JudgedWorkload {
  worker::JudgeOpened opened;
  std::vector<std::string> synthesized{};  // inputs that were made in place of what the workload names
  bool dear = false;                       // its reference is too slow for sets of every solution's own
  CallPlan dear_plan{};                    // then: how many calls are made
  std::vector<double> reference_ms{};      // the reference's calls so far on sets that are shared
  std::vector<worker::CallTimes> reference_calls{};  // the first of its calls that are not cold
  std::vector<worker::CallTimes> cold_reference_calls{};
  std::optional<double> cold_reference_ms{};  // the last of its calls that tell little
  std::set<worker::SetId> tied_sets{};        // for which it took some of several equals (reference/engine.h)
  std::optional<double> copies_ms{};          // the least that the device took to copy its outputs
};

// What is known of a solution's worker since it was started.
struct WorkerFacts {
  double round_trip_ms = 0;  // of an empty request
  sandbox::Held sandbox = {};
  bool memory_group = false;
  std::string no_tracer = {};  // why it has no second clock; empty: it has one
  bool is_guest = false;       // it runs Python
  std::string note = {};       // what every log of it says: how its calling style was found
};

// What an evaluation is made of. References must outlive it.
struct EvaluationParts {
  const RunConfig& config;
  const LaneDevice& device;
  worker::Judge& judge;
  Reference& reference;
  worker::Worker& worker;  // the solution's, with the solution loaded
  const WorkerFacts& facts;
  JudgedWorkload& workload;
  const PlannedEvaluation& planned;
  const std::vector<std::string>& symbols;  // the kernels' names of a solution with spec.launch; else empty
  std::string_view secret;                  // the run's
  std::function<std::int64_t()> now_ns = util::monotonic_ns;
  // Waits until the next guest's device is started (solution_worker.h); asked for before any call that may
  // count.
  std::function<void()> await_quiet = [] {};
  bool counts_work = false;  // by the device's own counters, where it has some (counted_work.h)

  [[nodiscard]] bool has_host_code() const { return symbols.empty(); }
  [[nodiscard]] bool has_tracer() const { return device.is_cuda() && facts.no_tracer.empty(); }
  [[nodiscard]] const eval::Layout& layout() const { return workload.opened.layout; }
};

// There can be no verdict, by the fault of others or of the solution.
class NoVerdict : public Error {
 public:
  NoVerdict(model::ObstacleCode because, const std::string& why) : Error("{}", why), code(because) {}
  model::ObstacleCode code;
};

// The solution has failed: ends an evaluation with this status and this text for the log.
struct Failed {
  model::Status status{};
  std::string note;
  FailureFacts facts;
};

}  // namespace fib::bench
