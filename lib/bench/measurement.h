#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/call_plan.h"
#include "bench/config.h"
#include "bench/failure.h"
#include "bench/log_budget.h"
#include "bench/occupancy.h"
#include "bench/overhead.h"
#include "bench/plan.h"
#include "feedback/digests.h"
#include "model/measurement_record.h"
#include "model/trace.h"
#include "util/machine.h"
#include "worker/judge_messages.h"
#include "worker/worker_messages.h"

namespace fib::bench {

// What ended the trials: all that were asked for were made, or as many as are ever made; the interval was
// narrow enough; or the calls were too slow for more (--call-budget).
enum class EndedBy { kIterations, kMostCalls, kNoise, kBudget };
[[nodiscard]] std::string name_of(EndedBy rule);  // "iterations", "most-calls", "noise", "budget"

// What a CUDA device's own counters say of some calls (counted_work.h).
struct CountedWork {
  std::string missing{};    // why what else is here says nothing; or empty
  std::uint64_t calls = 0;  // that were made to be counted
  double busy_ms = 0;       // for how long the multiprocessors were at work, the mean over them, a call
  double engine_ms = 0;     // for how long any of them was, a call
  double bus_bytes = 0;     // what the device sent to the host or received, whichever is more, a call
  bool tells = false;       // the engine was at work for much longer than what is left open
  double own_ms = 0;        // of both, for fib itself: it copies outputs that calls return
  double claimed_ms = 0;    // what the timed calls claim
  std::uint64_t parts = 0;  // kernels, copies and sets of a call, as its worker says; 0: it does not; lost: 1
  // Nine of ten calls took less by the coordinator's clock, without waiting for a CPU.
  double long_wall_ms = 0;
  double others_ms = 0;       // what all threads but the main one used of the CPUs in a call, the median
  double long_others_ms = 0;  // the same, of the calls in which they used most: nine of ten used less
};

// The calls in which the device's own counters are to be read before an evaluation that passed stands.
struct CountWanted {
  std::uint64_t calls = 0;
  std::uint64_t first_set = 0;   // the number of the first one's set, and of itself: those of the evaluation
  std::uint64_t first_call = 0;  // come before
};

// Everything that was seen of one evaluation: plain values, from which the trace is made.
struct Measurement {
  model::Status status = model::Status::RUNTIME_ERROR;
  std::string note;                       // why it did not pass, or what else the log should say
  std::optional<FailureFacts> failure{};  // when it did not pass
  std::string output;                     // what the worker printed
  double max_absolute_error = 0;
  double max_relative_error = 0;
  double matched_ratio = 1;
  std::string judged;                          // of all calls: a JSON object for correctness.extra
  CallPlan plan;                               // as made
  EndedBy ended_by = EndedBy::kIterations;     // of an evaluation that passed
  std::vector<std::vector<double>> trials_ms;  // timed calls of each trial, the worker's clock
  bool latency_is_mean = false;                // see latency_of(): the device's own counters say so
  std::vector<double> envelopes_ms;            // the coordinator's clock around the same calls
  std::vector<double> walls_ms;                // and around what comes before and after them, see wall_ms()
  // What the worker's other threads used of the CPUs in that time; on CUDA of the calls alone whose account
  // is exact, where there are some.
  std::vector<double> others_ms{};
  bool others_are_exact = false;
  std::vector<std::vector<double>> unexplained_ms;  // envelope less claim and waiting for a CPU, by trial
  std::optional<Overhead> overhead{};               // what calls take beside the work, where it is known
  // cuda, by pairs of events: what the worker's own clock saw beyond them, less the same of an empty pair, by
  // trial; of calls where it is known.
  std::vector<std::vector<double>> beyond_events_ms{};
  std::vector<std::vector<double>> unclaimed_ms{};  // what each call took beyond claim and overhead
  std::vector<double> added_ms{};                   // to the times of each trial, since nobody claimed it
  std::vector<double> reference_ms;                 // calls of the reference
  bool reference_is_shared = false;                 // they were made for all solutions of the run alike
  double round_trip_ms = 0;                         // an empty request to the worker
  std::uint64_t sets = 0;                           // distinct input sets
  bool sets_shared = false;                         // the sets are shared between solutions
  std::vector<std::string> synthesized{};           // inputs that --synthesize-missing made
  bool inputs_fixed = false;                        // no input is random: there is one set
  std::vector<std::string> zeros_pass{};            // outputs in whose place zeros would have been right
  std::uint64_t inputs_changed = 0;                 // calls after which the private inputs had changed
  // Of a torch extension: what it was built with. Never kAuto.
  std::optional<compile::TorchWay> torch{};
  sandbox::Held sandbox{};                       // what held in the solution's worker
  bool memory_group = false;                     // its processes share a limit on memory
  bool on_cuda = false;                          // where the solution ran
  bool reference_on_cuda = false;                // where the reference ran; elsewhere: no speedup
  worker::Clock clock{};                         // of the last calls
  std::vector<double> host_ms{};                 // cuda: what queueing each timed call took
  std::vector<double> clocks_mhz{};              // cuda: the multiprocessor's clock before each timed call
  double highest_clock_mhz = 0;                  // cuda: what it can reach; 0: unknown
  std::uint64_t dropped_calls = 0;               // made again because CUPTI lost records
  worker::Clock witness_clock{};                 // cuda: the second clock
  std::vector<double> witness_ms{};              // cuda: calls by the second clock
  std::string no_witness{};                      // cuda: why there is no second clock
  std::optional<CountedWork> counted{};          // cuda: where the device's own counters were read
  std::optional<CountWanted> count_wanted{};     // cuda: where they are to be read (counted_work.h)
  std::uint64_t kernels = 0;                     // cuda: launched by one call, as the second clock saw it
  bool lost_records = false;                     // cuda: its records of all calls that it looked at
  std::uint64_t copies = 0;                      // copies and sets of one call
  std::vector<worker::KernelUse> kernel_uses{};  // cuda: the kernels of one call, as its worker says
  std::uint64_t streams = 0;                     // streams that one call used
  std::uint64_t segments = 0;                    // stretches of one call between waits, as events saw it
  double empty_pair_ns = 0;                      // cuda: what the worker's events read of nothing
  std::uint64_t slow_calls = 0;                  // made again because the clock was far below that
  std::string engine;                            // the reference's
  // Its time, where an evaluation before has measured it: stands for reference_ms.
  std::optional<model::RecordedReference> earlier_reference{};
  model::RecordedDurations durations{};
  worker::DeviceState device;  // when the calls were made
};

// What is the same for all evaluations of a run.
struct RunIdentity {
  std::string run_id;
  std::string build_id;
  std::string version;
  std::string hardware;
  std::string device = "cpu";                             // or "cuda"
  std::string uuid = {};                                  // of a CUDA device
  bool seeded = false;                                    // the secret was given: the run repeats another one
  std::optional<compile::PythonInterpreter> python = {};  // that of Python solutions and torch extensions
  std::string tvm_ffi = {};                               // the version of its headers; empty: there are none
  nlohmann::ordered_json tags = nullptr;                  // RunRequest::tags
  std::optional<util::MachineLoad> load = std::nullopt;   // RunRequest::load
  MultiprocessorLimits multiprocessor = {};               // of a CUDA device
  feedback::Circumstances circumstances = {};
};

// The mean of the trials' medians, in milliseconds, or of the trials' means, where latency_is_mean; there is
// at least one trial.
[[nodiscard]] double latency_of(const Measurement& measurement);

// The median of each trial that has calls. Pure.
[[nodiscard]] std::vector<double> medians(const std::vector<std::vector<double>>& trials);

// The calls of all trials. Pure.
[[nodiscard]] std::vector<double> joined(const std::vector<std::vector<double>>& trials);

// Statistics, latency, speedup and evaluation.fib from a measurement. `started_utc` is when the evaluation
// began; of the log is kept what `logs` has room for, all where it is null.
[[nodiscard]] model::Evaluation make_evaluation(const Measurement& measurement,
                                                const PlannedEvaluation& planned, const RunConfig& config,
                                                const RunIdentity& identity, const std::string& started_utc,
                                                LogBudget* logs = nullptr);

}  // namespace fib::bench
