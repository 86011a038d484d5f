#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eval/evaluator.h"
#include "eval/layout.h"
#include "synthesis/input_sets.h"
#include "worker/judge_messages.h"
#include "worker/messages.h"
#include "worker/outputs_copy.h"
#include "worker/stage.h"

namespace fib::worker {

// One pair of shared buffers, inputs and outputs, as the judge sees it: in host or in device memory, each
// with places for the inputs or outputs of so many calls. The judge owns both; a worker gets the descriptors.
// One thread.
class Door {
 public:
  virtual ~Door() = default;

  [[nodiscard]] virtual std::uint32_t places() const = 0;

  // Writes a whole set to the inputs at this place. They lie there after wait().
  virtual void fill(std::uint32_t place, const synthesis::InputSets& sets, std::string_view seed,
                    synthesis::Scale scale) = 0;

  // Where the inputs at this place lie on a device; 0: in host memory.
  [[nodiscard]] virtual std::uint64_t device_inputs(std::uint32_t /*place*/) const { return 0; }

  // Copies a whole set to the inputs at this place from there, likewise; of the same layout, and on the same
  // device.
  virtual void copy_inputs(std::uint32_t /*place*/, std::uint64_t /*source*/) {
    throw Error("inputs on the CPU are not copied");
  }

  // Fills every output at this place with its poison element, likewise.
  virtual void poison(std::uint32_t place, const std::vector<eval::PoisonElement>& elements) = 0;

  virtual void wait() = 0;

  // Where the shared outputs of this place lie, layout.output_bytes bytes of them.
  [[nodiscard]] virtual OutputsAt outputs(std::uint32_t place) const = 0;

  // The inputs at the first place where no worker can write them and the host can read them; null on a
  // device.
  [[nodiscard]] virtual const std::byte* host_inputs() const = 0;

  // Copies the outputs at this place to where no worker can reach them; only where calls are compared. What
  // is written to the door afterwards changes nothing of the copy.
  virtual void take_outputs(std::uint32_t place) = 0;

  // Judges the first `count` outputs of that copy. `expected` is a whole output buffer: in host memory where
  // the door is, else where the device reads it.
  [[nodiscard]] virtual eval::Judgement judge_taken(const OutputsAt& expected,
                                                    const std::vector<eval::PoisonElement>& poison,
                                                    const eval::Tolerance& tolerance, std::size_t count) = 0;

  // Of each output, whether zeros in every element of it would be right; never of one without elements. The
  // copy that was taken is overwritten. `expected` as above.
  [[nodiscard]] virtual std::vector<bool> judge_zeros(const OutputsAt& expected,
                                                      const eval::Tolerance& tolerance) = 0;

  // What these pieces of the outputs at this place hold, one after the other, 4 MiB at most. On a device copy
  // engines alone have work.
  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] virtual std::vector<std::byte> read_outputs(std::uint32_t /*place*/,
                                                            const std::vector<Piece>& /*pieces*/) {
    throw Error("outputs on the CPU are not sampled");
  }

  // What the device takes to copy the outputs at the first place to those at this one, each by itself; in
  // nanoseconds.
  [[nodiscard]] virtual double time_copies(std::uint32_t /*place*/) {
    throw Error("copies on the CPU are not timed");
  }

  // To be sent to the worker: inputs, then outputs.
  [[nodiscard]] virtual std::vector<int> fds() const = 0;
};

enum class DoorUse {
  kCalls,          // with more places than one for calls in a row, as many as there is room for
  kSolutionCalls,  // needs all of its places
  kComparedCalls,  // the same; the outputs are compared there, which takes memory of its own
};

// How many places of a door fit into the share of a device's memory that is for them: `wanted` at most, one
// at least.
[[nodiscard]] std::uint32_t fitting_places(const eval::Layout& layout, std::uint32_t wanted,
                                           std::uint64_t device_bytes);

// A device as the judge needs it. It must outlive its doors.
class JudgeDevice : public OutputsMemory {
 public:
  // With `places` places; of kCalls as many of them as take no more than a 32nd of the device's memory, and
  // an 8th of what is free of a GPU's; one where there is no room for more. Throws Error.
  [[nodiscard]] virtual std::unique_ptr<Door> make_door(const eval::Layout& layout, DoorUse use,
                                                        std::uint32_t places) = 0;
  [[nodiscard]] virtual DeviceState describe() = 0;
  // Whether no other process's work keeps it busy. Throws Error where the device is lost.
  [[nodiscard]] virtual bool is_idle() = 0;
  // Why the device has no counters of its own work (device/cuda/work_counter.h); empty: it has some.
  [[nodiscard]] virtual std::string counter_problem() { return "the CPU has no counters of its work"; }
  // Begins to count, and returns why it cannot; empty: it has begun.
  [[nodiscard]] virtual std::string begin_count() { return counter_problem(); }
  // What it did since then; begins anew. Throws Error.
  [[nodiscard]] virtual Counted end_count() { throw Error("{}", counter_problem()); }
  // Fills the caches as for a call of a solution. What a solution's worker has set aside of them it has to
  // take back itself; where nothing is counted it does all of it.
  virtual void flush() { throw Error("{}", counter_problem()); }
  // Whether this process can no longer use it, whatever is asked. Waits for what was queued.
  [[nodiscard]] virtual bool has_failed() { return false; }
  // What inputs and outputs of one workload may take together, in bytes.
  [[nodiscard]] virtual std::uint64_t memory_limit() const = 0;
};

// The CPU; `threads` fill and compare.
[[nodiscard]] std::unique_ptr<JudgeDevice> make_cpu_judge_device(unsigned threads);

// A CUDA device. Throws Error when it cannot be used, or when fib was built without CUDA support.
[[nodiscard]] std::unique_ptr<JudgeDevice> make_cuda_judge_device(const UseDevice& device);

}  // namespace fib::worker
