#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compile/launch_plan.h"
#include "eval/difference.h"
#include "eval/layout.h"
#include "sandbox/files.h"
#include "worker/wire.h"

// The messages of PROTOCOL.md as plain structs, each with encode() and decode(). decode() throws
// ProtocolError on anything the protocol does not allow; it never trusts a length, an index or an enumerator.
namespace fib::worker {

enum class MessageType : std::uint16_t {
  kHello = 1,  // child -> parent, first
  kError,      // child -> parent, instead of any answer
  // solution and reference workers
  kLoad,
  kLoaded,
  kOpen,
  kOpened,
  kPrepare,
  kReady,
  kRun,
  kDone,
  kCollect,
  kCollected,
  kPing,
  kPong,
  // judge
  kUseDevice,
  kDeviceReady,
  kDescribe,
  kDescribed,
  kJudgeOpen,
  kJudgeOpened,
  kAttach,
  kAttached,
  kDetach,
  kDetached,
  kDiffer,
  kDiffered,
  kKnows,
  kKnown,
  kFill,
  kFilled,
  kKeep,
  kKept,
  kCompare,
  kVerdict,
  kConclude,
  kConcluded,
  // builder
  kBuild,
  kBuilt,
  // keeper
  kSpawn,
  kSpawned,
  kKill,
  kExited,
  kHold,
  kRemoveAtEnd,
  kSweepAtEnd,
};

// What identifies this very build of fib (the GNU build id of the file this function was linked into, as
// hex): a parent refuses a child of another build.
[[nodiscard]] std::string build_id();

struct Hello {
  std::string build_id;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Hello decode(const std::string& payload);
};

// A worker says why it could not do what was asked: the sentence for the log.
struct WorkerError {
  std::string text;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static WorkerError decode(const std::string& payload);
};

// What a CUDA device's caches hold when a call begins (device/cuda/flush.h).
enum class Flush : std::uint8_t { kClean, kDirty, kNone };
[[nodiscard]] std::string name_of(Flush flush);  // "clean", "dirty", "none"

// The device that a judge or a solution's worker works with; without a uuid it is the CPU.
struct UseDevice {
  std::string uuid;          // cuda::DeviceInfo::uuid
  std::string kernels_path;  // fib's own kernels for it (compile/device_kernels.h)
  Flush flush = Flush::kClean;
  std::uint32_t awake_us = 0;  // how long the child looks for its next request before it sleeps
  [[nodiscard]] bool is_cuda() const { return !uuid.empty(); }
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static UseDevice decode(const std::string& payload);
};

enum class TargetKind : std::uint8_t {
  kSharedLibrary,
  kReference,  // in the native engine
  kKernels,
  kPython,  // a solution or a reference, in a guest
};

// What a worker shall run. A native reference's source comes as a document beside the message; so does what a
// guest runs (python_target.h), followed on CUDA by fib's own kernels, and by a torch extension's library.
struct Load {
  TargetKind kind = TargetKind::kSharedLibrary;
  UseDevice device;                    // a native reference takes only the uuid, for its engine
  std::string files;                   // of a solution: what it may reach (sandbox::FileAccess as JSON)
  std::string symbol;                  // kSharedLibrary
  bool returns_status = false;         // kSharedLibrary: the function returns an int, non-zero on failure
  std::uint32_t threads = 1;           // kReference, kPython: threads it may use; 0: as it likes
  std::uint64_t data_limit_bytes = 0;  // of a solution: what the sandbox lets it allocate
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Load decode(const std::string& payload);
};

struct Loaded {
  std::string engine;     // "native (OpenBLAS ...)", "Python 3.12.3, torch 2.11.0"; empty for a library
  sandbox::Held sandbox;  // what holds in the process
  std::string no_tracer;  // CUDA: why there is no second clock (CUPTI); empty: there is one
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Loaded decode(const std::string& payload);
};

// A new workload: where everything lies in the two shared buffers whose descriptors travel beside the message
// (inputs, then outputs), and for kKernels what is launched.
struct Open {
  eval::Layout layout;
  compile::ResolvedPlan plan;
  bool on_device = false;  // the shared buffers lie in device memory
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Open decode(const std::string& payload);
};

// Which clock times a call.
enum class Clock : std::uint8_t {
  kHost,             // the CPU's monotonic clock
  kEvents,           // a pair of CUDA events behind a bounded spin (device/cuda/timer.h)
  kOpenEvents,       // the same without the spin, for calls that wait for the device inside
  kCuptiKernel,      // CUPTI's records of kernels, one at a time: how long the device was busy
                     // (device/cuda/tracer.h)
  kCuptiConcurrent,  // CUPTI's records as streams run: from the first begin to the last end
  kEventSegments,    // pairs of events behind spins between any two waits, on all streams
                     // (device/cuda/segment_timer.h)
};

[[nodiscard]] bool is_by_cupti(Clock clock);
[[nodiscard]] std::string name_of(Clock clock);  // "monotonic", "events", "open-events", "cupti-kernel", …

// Prepare and Run: the clock of the call.
struct CallRequest {
  Clock clock = Clock::kHost;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static CallRequest decode(const std::string& payload);
};

// What a worker says of one call. All numbers are finite and not negative, but elapsed_ns, which is what a
// clock gave.
struct Done {
  double elapsed_ns = 0;  // the worker's claim, by the clock that was asked for
  double host_ns = 0;     // CUDA: what the host needed to queue the call; else elapsed_ns
  bool covered = true;    // CUDA: the device began after everything was queued
  double clock_mhz = 0;   // CUDA: of a multiprocessor just before the call; 0: unknown
  // By events only.
  std::uint32_t segments = 0;  // stretches between two waits inside
  double empty_pair_ns = 0;    // what a pair with nothing between reads, and was subtracted of each
  // By CUPTI's clocks only: what the device did.
  std::uint32_t kernels = 0;
  std::uint32_t copies = 0;  // and sets
  std::uint32_t streams = 0;
  bool dropped = false;  // records were lost: the call does not count
  double busy_ns = 0;
  double span_ns = 0;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Done decode(const std::string& payload);
};

// What the target says it returned for each output, and whether its private inputs changed.
struct Collected {
  bool inputs_changed = false;
  std::vector<eval::OutputClaim> outputs;
  std::uint64_t tied_rows = 0;  // of references only (target.h)
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Collected decode(const std::string& payload);
};

// Names one input set: the judge derives its seed from its secret, the workload and these two. An empty
// solution_sha256 is a set shared between solutions.
struct SetId {
  std::string solution_sha256;
  std::uint64_t call = 0;
  auto operator<=>(const SetId&) const =
      default;  // NOLINT: clang-tidy 14 takes the comparison with 0 for a pointer
};

// Knows, Fill and Keep: which attached door (a pair of shared buffers), which set.
struct SetRequest {
  std::uint32_t door = 0;
  SetId set;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static SetRequest decode(const std::string& payload);
};

// Compare: as many of the door's outputs as the solution returned, the first ones.
struct CompareRequest {
  SetRequest set;
  std::uint32_t outputs = 0;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static CompareRequest decode(const std::string& payload);
};

// Knows's answer: whether the expected outputs of the set are still kept, so that no reference call is
// needed.
struct Known {
  bool known = false;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Known decode(const std::string& payload);
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

// Attach: a pair of buffers for one workload.
struct Attach {
  std::uint32_t workload = 0;
  bool on_device = false;    // in the memory of the judge's device, where it has one
  bool of_solution = false;  // what is compared there is judged by the workload's rule
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Attach decode(const std::string& payload);
};

// Detach and Conclude (a door's number).
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
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Concluded decode(const std::string& payload);
};

// What the keeper shall start. Descriptors beside it: the child's channel, then its stdout and stderr.
struct Spawn {
  std::uint32_t id = 0;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string folder;
  std::uint64_t file_size_limit = 0;  // bytes; 0 is unlimited
  std::uint64_t memory_limit = 0;     // bytes of all its processes together, where the system can; 0: none
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Spawn decode(const std::string& payload);
};

struct Spawned {
  std::uint32_t id = 0;
  std::int32_t pid = 0;
  std::string error;          // not empty: nothing was started
  bool memory_group = false;  // its memory_limit holds
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Spawned decode(const std::string& payload);
};

struct Exited {
  std::uint32_t id = 0;
  std::int32_t wait_status = 0;   // as waitpid gives it
  bool memory_exhausted = false;  // the kernel has ended it because it reached its memory_limit
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Exited decode(const std::string& payload);
};

}  // namespace fib::worker
