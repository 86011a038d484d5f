#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/layout.h"
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
  kDescribe,
  kDescribed,
  kJudgeOpen,
  kJudgeOpened,
  kAttach,
  kAttached,
  kDetach,
  kDetached,
  kKnows,
  kKnown,
  kFill,
  kFilled,
  kKeep,
  kKept,
  kCompare,
  kVerdict,
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

enum class TargetKind : std::uint8_t { kSharedLibrary, kReference };

// What a worker shall run. A reference's source comes as a document beside the message.
struct Load {
  TargetKind kind = TargetKind::kSharedLibrary;
  std::string library_path;            // kSharedLibrary
  std::string symbol;                  // kSharedLibrary
  bool returns_status = false;         // kSharedLibrary: the function returns an int, non-zero on failure
  std::uint32_t threads = 1;           // kReference: threads the engine may use
  std::uint64_t data_limit_bytes = 0;  // kSharedLibrary: what the sandbox lets it allocate
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Load decode(const std::string& payload);
};

struct Loaded {
  std::string engine;          // "native (OpenBLAS ...)" for a reference, empty for a library
  bool private_files = false;  // a solution: it has temporary folders of its own and can write nowhere else
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Loaded decode(const std::string& payload);
};

// A new workload: where everything lies in the two shared buffers whose descriptors travel beside the message
// (inputs, then outputs).
struct Open {
  eval::Layout layout;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Open decode(const std::string& payload);
};

struct Done {
  std::int64_t elapsed_ns = 0;  // the worker's claim
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Done decode(const std::string& payload);
};

// What the target says it returned for each output, and whether its private inputs changed.
struct Collected {
  bool inputs_changed = false;
  std::vector<eval::OutputClaim> outputs;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Collected decode(const std::string& payload);
};

// Names one input set: the judge derives its seed from its secret, the workload and these two. An empty
// solution_sha256 is a set shared between solutions.
struct SetId {
  std::string solution_sha256;
  std::uint64_t call = 0;
  auto operator<=>(const SetId&) const = default;
};

// Knows, Fill, Keep and Compare: which attached door (a pair of shared buffers), which set.
struct SetRequest {
  std::uint32_t door = 0;
  SetId set;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static SetRequest decode(const std::string& payload);
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
  std::string governor;
  double load_average = 0;  // negative: unknown
  std::string flush;        // how caches are flushed
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static DeviceState decode(const std::string& payload);
};

// One workload that the judge has opened.
struct JudgeOpened {
  std::uint32_t workload = 0;  // its number in later requests
  eval::Layout layout;
  bool inputs_fixed = false;  // no random input: there is one set
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static JudgeOpened decode(const std::string& payload);
};

// Attach's answer; the two buffers' descriptors travel beside it (inputs, then outputs).
struct Attached {
  std::uint32_t door = 0;
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Attached decode(const std::string& payload);
};

// Attach (a workload's number) and Detach (a door's number).
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

// What the keeper shall start. Descriptors beside it: the child's channel, then its stdout and stderr.
struct Spawn {
  std::uint32_t id = 0;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string folder;
  std::uint64_t file_size_limit = 0;  // bytes; 0 is unlimited
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Spawn decode(const std::string& payload);
};

struct Spawned {
  std::uint32_t id = 0;
  std::int32_t pid = 0;
  std::string error;  // not empty: nothing was started
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Spawned decode(const std::string& payload);
};

struct Exited {
  std::uint32_t id = 0;
  std::int32_t wait_status = 0;  // as waitpid gives it
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Exited decode(const std::string& payload);
};

}  // namespace fib::worker
