#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/evaluation_parts.h"
#include "bench/overhead.h"

namespace fib::bench {

// A count of an evaluation's work makes at least so many calls.
inline constexpr std::uint64_t kFewestCounted = 3;

// The input sets of one evaluation, in the order of its calls, and their expected outputs, which the
// reference makes before they are needed, while the solution is stopped: what the solution did meanwhile
// would slow the reference down, which makes the solution look better. One thread.
class ExpectedOutputs {
 public:
  // Starts the reference and opens the workload at a door of its own. Throws ReferenceError, JudgeLost, and
  // Error as Reference does.
  explicit ExpectedOutputs(const EvaluationParts& parts);
  ExpectedOutputs(const ExpectedOutputs&) = delete;
  ExpectedOutputs& operator=(const ExpectedOutputs&) = delete;

  // How many of the first calls are not timed: of those from the third on half, by the run's secret, are on
  // smaller random floats (synthesis::Scale). 0 until this is called, where no other call than the first two
  // may have been made.
  void set_untimed(std::uint64_t calls) { untimed_ = calls; }

  // The set of call number `call`, from 0.
  [[nodiscard]] worker::SetId set_of(std::uint64_t call) const;

  // How many expected outputs are made at once, at least 1: not more than the judge keeps.
  [[nodiscard]] std::uint64_t most_at_once() const;

  // The same after begin_at(): of calls that are judged when all of them have been made.
  [[nodiscard]] std::uint64_t most_of_count() const;

  // Makes the expected outputs of `count` calls from `first` on, or of as many as are kept at once. Those
  // that are there already are not made again. Where the outputs are not compared with the reference's, a few
  // of its calls are timed instead, once. `enough`: within this share of its median the reference's time has
  // to be known, and no more calls are timed than that takes, but for one of those that are made at once; 0:
  // as many are timed as are kept. Throws NoVerdict where the GPU stays busy.
  void make(std::uint64_t first, std::uint64_t count, double enough = 0);

  // Whether those of this call are there.
  [[nodiscard]] bool are_made(std::uint64_t call) const;

  // The calls before this one were made by an evaluation before, which has timed the reference. Those from it
  // on have sets of this solution's own, also where others are shared; one of the first kFewestCounted, as
  // the run's secret says, has smaller inputs: nobody times it.
  void begin_at(std::uint64_t first);

  // From call `first` on the workload's sets are used, which all solutions share.
  void share_from(std::uint64_t first);
  [[nodiscard]] bool are_shared() const { return shared_; }
  // From call `first` on sets of this solution's own are used again.
  void own_from(std::uint64_t first);

  // What a call takes beside the work: as calls of the reference tell, or, on a GPU where none does, as is
  // assumed (overhead.h). Nothing on the CPU where there were none.
  [[nodiscard]] std::optional<Overhead> overhead() const;

  // The reference's calls that tell how fast it is, in milliseconds: of all solutions on shared sets, else on
  // those of this one.
  [[nodiscard]] std::vector<double> reference_ms() const;

  // Whether those are of all solutions.
  [[nodiscard]] bool reference_is_shared() const { return !workload_.reference_ms.empty(); }

  // Whether nothing is known of the reference's time, or of what a call takes beside the work, for the GPU
  // was busy whenever it was called (idle_device.h): other processes work there, or the solution has left
  // work that goes on while it is stopped.
  [[nodiscard]] bool reference_was_disturbed() const {
    return disturbed_ > 0 && (reference_ms().empty() || !measured_overhead());
  }

  // Whether the reference's times are known within this share of their median, or more calls would not tell:
  // where they are not asked for, or were made for all solutions alike.
  [[nodiscard]] bool reference_is_settled(double share) const;

 private:
  [[nodiscard]] bool is_scaled(std::uint64_t call) const;
  [[nodiscard]] std::optional<Overhead> measured_overhead() const;
  [[nodiscard]] std::uint64_t most_within(std::uint64_t bytes) const;
  [[nodiscard]] std::size_t times_wanted(double enough) const;
  void make_batch(std::uint64_t end, double enough);
  void time_reference(std::vector<double>& times);
  // One call on each of these sets, of which so many of the first are timed.
  std::vector<ReferenceCall> call_reference(const std::vector<worker::SetId>& sets, std::size_t timed = 1);

  const EvaluationParts& parts_;
  JudgedWorkload& workload_;
  worker::AttachedDoor door_;
  bool shared_;
  std::uint64_t untimed_ = 0;                    // of the first calls
  std::optional<std::uint64_t> counted_from_{};  // the call that begin_at() was given
  bool timed_ = false;                           // where the reference is asked for its time alone
  int disturbed_ = 0;             // batches of the reference's calls while the GPU was not idle
  std::uint64_t until_ = 0;       // expected outputs are kept for the calls before this one
  std::vector<double> own_ms_{};  // of calls on sets of this solution's own
};

// What a log should say of a call that differs: which of equals a router takes is not said by the definition.
// Empty in most cases.
[[nodiscard]] std::string about_ties(const EvaluationParts& parts, const worker::SetId& set);

}  // namespace fib::bench
