#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/evaluation_parts.h"
#include "bench/expected_outputs.h"
#include "util/clock.h"

namespace fib::bench {

// What all calls so far come to, besides their times.
struct Correctness {
  double max_absolute_error = 0;
  double max_relative_error = 0;
  double matched_ratio = 1;
  std::uint64_t inputs_changed = 0;  // calls after which the private inputs had changed

  void add_errors(const eval::Judgement& judgement);
};

// A call by Clock::kCounters that was made, and is to be judged.
struct UnjudgedCall {
  worker::SetId set;
  std::uint64_t number = 0;  // of all calls, from 1
  worker::Collected collected;
  std::string refused_launch = {};  // worker::Done has it
  double wall_ms = 0;               // wall_without_waiting_ms(); with opening the workload
  double others_ms = 0;             // what the worker's other threads used of the CPUs in that time, exact
  double lagging_others_ms = 0;     // the same as timed calls tell it that are not exact
};

// How long was waited in the calls so far, in milliseconds.
struct Waited {
  double run_ms = 0;        // for the solution's worker
  double judge_ms = 0;      // for the judge, to fill inputs and to compare outputs
  double reference_ms = 0;  // for expected outputs that make() lacked
};

// Makes the calls of one evaluation. Every call is filled, prepared, run, collected and compared; there is no
// other kind. Throws Failed when the solution has failed in a call, its number in the text; JudgeLost,
// ReferenceError. One thread.
class Calls {
 public:
  // Attaches the solution's door. The first call has the number `made` + 1, and its set `sets`.
  Calls(const EvaluationParts& parts, ExpectedOutputs& expected, std::uint64_t made = 0,
        std::uint64_t sets = 0);
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // Opens the workload at the worker; to be called first.
  void open();

  // One call by this clock, on the next set; its time has been found possible (check_claim), unless records
  // were lost. Not by Clock::kCounters.
  [[nodiscard]] worker::CallTimes make(worker::Clock clock);

  // The same on the set of the call before.
  worker::CallTimes repeat(worker::Clock clock);

  // What a door like the solution's is made with, for a call by Clock::kCounters.
  [[nodiscard]] const worker::Attach& door_request() const { return door_request_; }
  // The same in the three steps that these calls are made in, where has_private(), at a door of their own:
  // the set with this number lies in its private buffers, and the caches are flushed; the workload is opened
  // there, the call made, and its outputs are sampled; and these are judged. No calls by other clocks come
  // afterwards.
  [[nodiscard]] worker::SetId fill(const worker::AttachedDoor& door, std::uint64_t set_number);
  [[nodiscard]] UnjudgedCall make_at(const worker::AttachedDoor& door, const worker::SetId& set);
  void judge_at(const worker::AttachedDoor& door, const UnjudgedCall& call);

  // Whether the time that a call claims is possible: not longer than the coordinator saw, and not shorter
  // than writing the outputs takes.
  void check_claim(const worker::CallTimes& times) const;

  // What the workload's rule says of all calls so far.
  [[nodiscard]] worker::Concluded conclude();

  // Whether the judge reaches the worker's private buffers: on CUDA, of solutions with host code, where there
  // was memory for them.
  [[nodiscard]] bool has_private() const { return door_.fds().has_private; }

  [[nodiscard]] std::uint64_t made() const { return made_; }
  [[nodiscard]] std::uint64_t sets() const { return sets_; }  // different ones, in the calls so far
  [[nodiscard]] const Correctness& correctness() const { return correctness_; }
  [[nodiscard]] Waited waited() const;

 private:
  // A call on the set of call number `call`, from 0.
  worker::CallTimes make_on(std::uint64_t call, worker::Clock clock);
  void open_at(const worker::AttachedDoor& door);
  worker::Collected run_and_collect(worker::Clock clock, worker::CallTimes& times);
  // Throws Failed for shapes and types that the outputs cannot have.
  void check_outputs(const UnjudgedCall& call);
  void judge(const UnjudgedCall& call, const eval::Judgement& judgement);
  [[nodiscard]] std::optional<worker::SetId> filled_ahead(std::uint64_t call) const;
  [[nodiscard]] std::int64_t usual_prepare_ns();
  // Asks the solution's worker, and charges its time to the evaluation's limit.
  template <typename T, typename Request>
  T ask(Request request, const char* what);
  // In the call that is made.
  [[noreturn]] void fail(model::Status status, const std::string& note, FailureFacts facts) const;

  const EvaluationParts& parts_;
  ExpectedOutputs& expected_;
  worker::Attach door_request_;
  worker::AttachedDoor door_;
  Correctness correctness_;
  std::int64_t spent_ns_ = 0;      // waiting for the solution's worker
  std::int64_t judging_ns_ = 0;    // waiting for the judge
  std::int64_t reference_ns_ = 0;  // and for the reference
  std::uint64_t made_ = 0;
  std::int64_t usual_prepare_ns_ = 0;
  std::uint64_t sets_ = 0;
  std::optional<worker::SetId> filled_{};  // the set that lies at the door since the last comparison
};

}  // namespace fib::bench
