#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eval/difference.h"
#include "eval/layout.h"

// What the judge is asked, and what it answers (messages.h).
namespace fib::worker {

// Names one input set: the judge derives its seed from its secret, the definition, the workload and these
// two. The owner is one solution of one dataset; "" is a set that solutions share.
struct SetId {
  std::string owner;
  std::uint64_t call = 0;
  bool is_scaled = false;  // its random floats are smaller ones (synthesis::Scale)
  auto operator<=>(const SetId&) const =
      default;  // NOLINT: clang-tidy 14 takes the comparison with 0 for a pointer
};

// Knows: which attached door (a pair of shared buffers), which set.
struct SetRequest {
  std::uint32_t door = 0;
  SetId set;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static SetRequest decode(const std::string& payload);
};

// Fill and Keep: the sets at a door's places, from the first place on.
struct SetsRequest {
  std::uint32_t door = 0;
  std::vector<SetId> sets;
  bool in_private = false;  // Fill: one set, in the worker's private buffers; the caches are flushed then
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static SetsRequest decode(const std::string& payload);
};

// Compare: as many of the door's outputs as the solution returned, the first ones.
struct CompareRequest {
  SetRequest set;
  std::uint32_t outputs = 0;
  bool fills_next = false;  // as Fill does, with this set, once the outputs have been copied
  SetId next = {};
  bool in_private = false;  // the outputs lie in the worker's private buffers
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static CompareRequest decode(const std::string& payload);
};

// Knows's answer: whether the expected outputs of the set are still kept, so that no reference call is
// needed.
struct KnowsAnswer {
  bool known = false;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static KnowsAnswer decode(const std::string& payload);
};

// Whether the judge's device has nothing to do for other processes.
struct LookedAround {
  bool is_idle = false;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static LookedAround decode(const std::string& payload);
};

// The answer to AskCounters, BeginCount and EndCount (device/cuda/work_counter.h).
struct Counted {
  std::string problem;   // why nothing can be counted; or empty
  double busy_ns = 0;    // for how long the device's multiprocessors were at work, the mean over all of them
  double engine_ns = 0;  // for how long any of it was
  double bus_bytes = 0;  // what it sent to the host, or received, whichever is more
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Counted decode(const std::string& payload);
};

// The answer to TimeCopies.
struct CopiesTimed {
  double ns = 0;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static CopiesTimed decode(const std::string& payload);
};

// The state of the judge's device now.
struct DeviceState {
  std::string hardware;
  std::string flush;  // how caches are flushed
  std::string state;  // a JSON object: what else is known of it (evaluation.fib.device_state)
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static DeviceState decode(const std::string& payload);
};

// One workload that the judge has opened.
struct JudgeOpened {
  std::uint32_t workload = 0;  // its number in later requests
  eval::Layout layout;
  bool inputs_fixed = false;         // no random input: there is one set
  std::uint64_t calls_wanted = 0;    // that Conclude wants to be made of; it works with fewer
  std::uint64_t repeats_wanted = 0;  // calls with the inputs of the one before
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static JudgeOpened decode(const std::string& payload);
};

// Attach's answer; the two buffers' descriptors travel beside it (inputs, then outputs).
struct Attached {
  std::uint32_t door = 0;
  bool on_device = false;  // its buffers lie in device memory
  std::uint32_t places = 1;
  bool has_private = false;  // there is one more place, for the worker's private buffers
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Attached decode(const std::string& payload);
};

// Differ: two doors of one workload, where two engines have left their outputs.
struct DifferRequest {
  std::uint32_t door = 0;
  std::uint32_t expected = 0;  // what sizes are taken from
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static DifferRequest decode(const std::string& payload);
};

// Differ's answer, one an output.
struct Differed {
  std::vector<eval::OutputDifference> outputs;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Differed decode(const std::string& payload);
};

// Attach: a pair of buffers for one workload. Each has a number of places, one after the other, for the
// inputs or outputs of a call; who is compared has one.
struct Attach {
  std::uint32_t workload = 0;
  bool on_device = false;    // in the memory of the judge's device, where it has one
  bool of_solution = false;  // what is compared there is judged by the workload's rule
  std::uint32_t places = 1;  // at most; there are fewer where they would take too much of the device
  bool has_private = false;  // on a device: with the worker's private buffers, where there is room for them
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Attach decode(const std::string& payload);
};

// Detach, TimeCopies, Sample and Conclude (a door's number).
struct Number {
  std::uint32_t value = 0;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Number decode(const std::string& payload);
};

struct Verdict {
  eval::Judgement judgement;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Verdict decode(const std::string& payload);
};

// Conclude's answer: what all calls compared at the door come to.
struct Concluded {
  eval::Judgement judgement;
  std::string extra;  // a JSON object for correctness.extra, or empty
  // The names of outputs in whose place zeros would have been right, in the first call on the workload that
  // was compared element by element.
  std::vector<std::string> zeros_pass = {};
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Concluded decode(const std::string& payload);
};

}  // namespace fib::worker
