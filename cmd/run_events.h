#pragma once

#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/plan.h"
#include "bench/run.h"
#include "run_gate.h"

namespace fib::cmd {

// What happens in a run, for programs: a JSON object a line on stdout, as docs/run-events.md lists them. All
// is passed on to another observer. Events come one at a time.
class RunEvents : public bench::RunObserver {
 public:
  // `next` must outlive this object.
  explicit RunEvents(bench::RunObserver& next) : next_(next) {}

  // `plan_ms`: how long it took to read the datasets and to plan.
  void began(const bench::Plan& plan, const std::vector<bench::LaneDevice>& devices, double plan_ms);
  void planned(const bench::Plan& plan);
  void ended(const bench::RunReport& report, const GateVerdict& verdict);

  void waiting_for_device(const std::string& device) override;
  void machine_is_busy(const util::MachineLoad& load) override;
  void built(const model::Solution& solution, const bench::BuildOutcome& outcome, std::size_t done,
             std::size_t total) override;
  void evaluation_started(const bench::PlannedEvaluation& planned, std::size_t done,
                          std::size_t total) override;
  void evaluation_finished(const bench::PlannedEvaluation& planned, const model::Evaluation& evaluation,
                           std::size_t done, std::size_t total) override;
  void warning(const std::string& text) override;

  // Throws Error when an event could not be written: a run goes on without those who listen.
  void expect_written() const;

 private:
  void put(const char* event, const nlohmann::ordered_json& members);

  bench::RunObserver& next_;
  std::mutex mutex_;
  bool is_broken_ = false;
  std::set<std::string> waited_for_;  // the devices that were said to be waited for
};

}  // namespace fib::cmd
