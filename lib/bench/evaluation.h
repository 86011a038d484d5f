#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "bench/config.h"
#include "bench/looks.h"
#include "bench/measurement.h"
#include "bench/reference_runner.h"
#include "worker/clients.h"

namespace fib::bench {

// A workload as the judge knows it, and what was learned about it.
struct JudgedWorkload {
  worker::JudgeOpened opened;
  std::vector<std::string> synthesized{};  // inputs that were made in place of what the workload names
  bool dear = false;                       // its reference is too slow for sets of every solution's own
  CallPlan dear_plan{};                    // then: how many calls are made
  std::vector<double> reference_ms{};      // the reference's calls so far on sets that are shared
  std::vector<worker::WorkerClient::Ran> reference_calls{};  // the last of its calls
  std::optional<double> cold_reference_ms{};                 // the last of its calls that tell little
  std::set<worker::SetId> tied_sets{};  // for which it took some of several equals (reference/engine.h)
};

// A solution's worker with what belongs to it.
struct SolutionWorker {
  std::unique_ptr<worker::WorkerClient> client;
  double round_trip_ms = 0;
  sandbox::Held sandbox = {};
  bool memory_group = false;
  std::string no_tracer = {};  // why it has no second clock; empty: it has one
  bool is_guest = false;       // it runs Python
  std::string note = {};       // what every log of it says: how its calling style was found
};

// The device of a lane as an evaluation needs it.
struct LaneDevice {
  model::DeviceKind kind = model::DeviceKind::cpu;
  std::string name;          // for traces and people: "NVIDIA H200"
  std::string uuid;          // cuda
  std::string architecture;  // cuda: "sm_90a"
  std::string kernels_path;  // cuda: fib's own kernels, once they are built
  [[nodiscard]] bool is_cuda() const { return kind == model::DeviceKind::cuda; }
};

// Makes the calls of one evaluation: one solution's worker on one workload. Every call is filled, prepared,
// run, collected and compared; there is no other kind. Outcomes of the solution are in the Measurement;
// throws ReferenceError, worker::JudgeLost, or Error for inputs that cannot be made. One thread, one use.
class EvaluationRun {
 public:
  // `symbols` are the kernels' names of a solution with spec.launch; `secret` is the run's.
  EvaluationRun(const RunConfig& config, const LaneDevice& device, worker::JudgeClient& judge,
                ReferenceRunner& reference, SolutionWorker& solution, JudgedWorkload& workload,
                const PlannedEvaluation& planned, const std::vector<std::string>& symbols,
                std::string_view secret);
  ~EvaluationRun();
  EvaluationRun(const EvaluationRun&) = delete;
  EvaluationRun& operator=(const EvaluationRun&) = delete;

  [[nodiscard]] Measurement run();

 private:
  void attach();
  bool open_solution();
  [[nodiscard]] worker::SetId set_of(std::uint64_t call) const;
  // Expected outputs for the calls up to, and without, number `end`.
  bool make_expected_until(std::uint64_t end);
  void make_expected(const worker::SetId& set);
  void time_reference(std::vector<double>& times);
  ReferenceRunner::Timed call_reference(const worker::SetId& set);
  [[nodiscard]] std::optional<Overhead> overhead() const;
  bool make_calls(std::uint64_t count);
  bool came_to_rest(worker::WatchedProcess::Worker at_work);
  // One call by this clock, with the next set; nothing when the evaluation has failed.
  std::optional<worker::WorkerClient::Ran> make_call(worker::Clock clock);
  bool make_counted_call();
  bool make_witness_call();
  [[nodiscard]] worker::Clock witness_clock() const;
  bool choose_clock();
  bool settle_calls_so_far();
  bool judge_call(const worker::SetId& set, const worker::Collected& collected);
  [[nodiscard]] std::string about_ties(const worker::SetId& set) const;
  bool make_pilot_calls();
  bool make_planned_calls(bool well);
  bool make_further_calls();
  bool make_repeated_calls();
  [[nodiscard]] bool is_in_budget() const;
  bool conclude();
  void fit_plan(double call_s);
  bool claim_is_possible(const worker::WorkerClient::Ran& ran);
  bool times_are_believed();
  // What the trace says besides status and times.
  void complete_result();
  [[nodiscard]] bool is_discarded(const worker::Done& done);
  [[nodiscard]] bool has_tracer() const { return device_.is_cuda() && solution_.no_tracer.empty(); }
  // Ends the evaluation with this status and note, and is false; fail() names the call that was being made.
  bool refuse(model::Status status, const std::string& note);
  bool fail(model::Status status, const std::string& note);
  bool fail(const worker::Failure& failure, const char* request);
  [[nodiscard]] std::int64_t deadline() const;
  // Runs one request to the solution's worker and charges its time to the evaluation's limit.
  template <typename Request>
  auto timed(Request request);
  [[nodiscard]] std::uint64_t chunk() const;
  [[nodiscard]] const eval::Layout& layout() const { return workload_.opened.layout; }

  const RunConfig& config_;
  const LaneDevice& device_;
  worker::JudgeClient& judge_;
  ReferenceRunner& reference_;
  SolutionWorker& solution_;
  JudgedWorkload& workload_;
  const PlannedEvaluation& planned_;
  const std::vector<std::string>& symbols_;
  const std::string secret_;
  int attempt_ = 1;                // at making all calls
  std::set<std::size_t> looks_{};  // those to come, once the plan is fitted (looks.h)
  worker::DoorFds reference_door_;
  worker::DoorFds solution_door_;
  Measurement result_;
  std::int64_t begin_ns_ = 0;  // when the first call began
  std::int64_t spent_ns_ = 0;  // waiting for the solution's worker
  std::uint64_t made_ = 0;     // calls made so far
  std::uint64_t repeats_ = 0;  // of them, those with the set of the call before
  bool shared_ = false;
  bool reference_timed_ = false;                 // where it is asked for its time alone
  bool covered_ = true;                          // cuda: the last call was queued before it began
  std::uint64_t expected_until_ = 0;             // expected outputs are kept for the calls before this one
  worker::Clock clock_ = worker::Clock::kHost;   // of the calls that count
  std::vector<worker::WorkerClient::Ran> runs_;  // calls that count, in order
};

}  // namespace fib::bench
