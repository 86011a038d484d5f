#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "eval/evaluator.h"
#include "util/unique_fd.h"
#include "worker/judge_messages.h"

namespace fib::worker {

// What the judge says of a workload for which there is not enough memory.
inline constexpr std::string_view kTooLarge = "too much for this machine";

// The judge is gone, or has broken the protocol: nothing that can be said against a solution.
class JudgeLost : public Error {
 public:
  using Error::Error;
};

// A pair of shared buffers for one workload, inputs and outputs, with the number that the judge gave it.
struct DoorFds {
  std::uint32_t door = 0;
  util::UniqueFd inputs;
  util::UniqueFd outputs;
  bool on_device = false;    // they lie in device memory
  std::uint32_t places = 1;  // for so many calls (judge_messages.h)
  bool has_private = false;  // and one more, for the private buffers of a solution's worker
};

// The judge as an evaluation needs it: it alone knows inputs, poison and expected outputs. Every function
// throws JudgeLost, and Error with a sentence for what it refuses. One thread.
class Judge {
 public:
  virtual ~Judge() = default;

  // The state of the device that solutions run on.
  [[nodiscard]] virtual DeviceState describe() = 0;
  [[nodiscard]] virtual DoorFds attach(const Attach& request) = 0;
  virtual void detach(std::uint32_t door) = 0;
  // Whether the set's expected outputs are kept, so that the reference need not make them.
  [[nodiscard]] virtual bool knows(std::uint32_t door, const SetId& set) = 0;
  // Whether no other process's work keeps the device busy (a GPU; elsewhere true). Takes some 30 us on an
  // idle GPU, and some milliseconds on a busy one.
  [[nodiscard]] virtual bool device_is_idle() = 0;
  // Why the device has no counters of its own work; empty: it has some.
  [[nodiscard]] virtual std::string counter_problem() = 0;
  // Begins to count what the device does, for whichever process, by counters of its own. Waits for a reading
  // of them, 0.1 to 0.2 s on an H200, during which no work may come. Returns why there are none; empty: it
  // has begun.
  [[nodiscard]] virtual std::string begin_count() = 0;
  // Waits for a reading likewise, and returns what the device did since the count began. The next count has
  // begun then. Throws Error where the counters fail.
  [[nodiscard]] virtual Counted end_count() = 0;
  // What the device takes to copy the outputs at this door, each by itself, as a worker does with those that
  // a call returns; in nanoseconds. The door has private buffers, whose outputs are overwritten.
  [[nodiscard]] virtual double time_copies(std::uint32_t door) = 0;
  // Fills the inputs at the door's first places with these sets, and its outputs there with new poison.
  virtual void fill(std::uint32_t door, const std::vector<SetId>& sets) = 0;
  // The same with one set in the private buffers of the door's worker, where it has some; then flushes the
  // caches. For a call by Clock::kCounters.
  virtual void fill_private(std::uint32_t door, const SetId& set) = 0;
  // Keeps the outputs at the door's first places as the expected ones of these sets.
  virtual void keep(std::uint32_t door, const std::vector<SetId>& sets) = 0;
  // Judges the door's first `outputs` outputs. Expected outputs of a set that belongs to one solution are
  // kept no longer then. With `next` the door is filled with that set at once, as fill() does.
  [[nodiscard]] virtual eval::Judgement compare(std::uint32_t door, const SetId& set, std::size_t outputs,
                                                const std::optional<SetId>& next) = 0;
  // The same of the outputs in these private buffers.
  [[nodiscard]] virtual eval::Judgement compare_private(std::uint32_t door, const SetId& set,
                                                        std::size_t outputs) = 0;
  // Keeps pieces of the outputs in these private buffers, which nobody can foretell: outputs that have
  // changed when compare_private() comes are wrong. Copy engines read them, which no counter of work sees.
  virtual void sample_private(std::uint32_t door) = 0;
  // What all calls compared at the door come to, those at other doors of its workload that were attached in
  // its time included.
  [[nodiscard]] virtual Concluded conclude(std::uint32_t door) = 0;
};

// A door that is given up with this object.
class AttachedDoor {
 public:
  AttachedDoor(Judge& judge, const Attach& request) : judge_(judge), fds_(judge.attach(request)) {}
  ~AttachedDoor() {
    try {
      judge_.detach(fds_.door);
    } catch (const Error&) {
      // A judge that is gone has nothing to detach; the next request says so.
    }
  }
  AttachedDoor(const AttachedDoor&) = delete;
  AttachedDoor& operator=(const AttachedDoor&) = delete;

  [[nodiscard]] const DoorFds& fds() const { return fds_; }
  [[nodiscard]] std::uint32_t number() const { return fds_.door; }

 private:
  Judge& judge_;
  DoorFds fds_;
};

}  // namespace fib::worker
