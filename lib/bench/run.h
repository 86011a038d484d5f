#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/build_pool.h"
#include "bench/earlier_reference.h"
#include "bench/early_end.h"
#include "bench/held_results.h"
#include "bench/plan.h"
#include "bench/session.h"
#include "bench/sweep.h"
#include "bench/trace_sink.h"
#include "model/obstacle.h"
#include "util/machine.h"

namespace fib::bench {

// How a run tells what it does: progress, not results. Calls come from the run's threads, waiting_for_device
// of several lanes perhaps at once, all others one at a time.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void waiting_for_device(const std::string& device) = 0;
  // Before anything is built: other programs have more to do than the machine has cores.
  virtual void machine_is_busy(const util::MachineLoad& load) = 0;
  virtual void built(const model::Solution& solution, const BuildOutcome& outcome, std::size_t done,
                     std::size_t total) = 0;
  virtual void evaluation_started(const PlannedEvaluation& planned, std::size_t done, std::size_t total) = 0;
  virtual void evaluation_finished(const PlannedEvaluation& planned, const model::Evaluation& evaluation,
                                   std::size_t done, std::size_t total) = 0;
  virtual void warning(const std::string& text) = 0;
};

struct NotDone {
  PlannedEvaluation planned;
  model::Obstacle obstacle;
};

struct RunReport {
  std::string run_id;
  std::size_t finished = 0;  // evaluations with a trace
  std::size_t passed = 0;
  std::map<std::string, std::size_t> failed;  // by status
  std::vector<NotDone> not_done;
  bool interrupted = false;
  std::string ended_early;    // why the rest of the plan was not tried; empty: it was
  std::size_t not_begun = 0;  // evaluations of that rest: neither a trace nor a reason of their own
  std::optional<EarlyEnd::Cause> limit = std::nullopt;  // where RunRequest::limits ended the run
};

// What a run is asked for besides its plan.
struct RunRequest {
  std::string version;  // of fib
  bool save_results = true;
  // What the run's record says of the machine and the command: members of one object.
  nlohmann::ordered_json surroundings = nlohmann::ordered_json::object();
  // Versions of the driver, compilers and interpreter, for environment_digest (feedback/digests.h); "": not
  // known.
  std::string tools = {};
  nlohmann::ordered_json tags = nullptr;  // what the user calls the run: key -> text; null: nothing
  // Before the run adds to it; nothing: not known. On the CPU a run that waits for another one's end looks
  // again.
  std::optional<util::MachineLoad> load = std::nullopt;
  RunLimits limits = {};
  CountWork count_work = CountWork::kOne;
  EarlierReferences earlier_references = {};  // stand for times of the reference that would be measured
};

// Builds every solution of the plan in parallel, then runs all evaluations, a lane for each device of the
// session: a lane takes its device's machine-wide lock and then the next piece of the plan until none is
// left; at every new point of the sweep it starts anew, with seeds of the point's own. Each trace is on disk
// before its lane goes on, but for results that are held (held_results.h). At the end one line a dataset goes
// to runs/runs.jsonl (run_record.h), with the run's secret. Ends soon when the session is interrupted. Throws
// Error for what makes the whole run impossible.
[[nodiscard]] RunReport run(Session& session, const std::vector<dataset::Dataset>& datasets, const Plan& plan,
                            const Sweep& sweep, const RunRequest& request, RunObserver& observer);

}  // namespace fib::bench
