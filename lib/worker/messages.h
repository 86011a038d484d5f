#pragma once

#include <cstdint>
#include <string>

#include "worker/wire.h"

// What all messages have in common. Those of PROTOCOL.md are plain structs, each with encode() and decode():
// worker_messages.h, judge_messages.h, keeper_messages.h. decode() throws ProtocolError on anything that the
// protocol does not allow; it never trusts a length, an index or an enumerator.
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
  kCalls,
  kCalled,
  kPing,
  kPong,
  kPack,
  kPacked,
  kConfine,
  kConfined,
  kStart,
  kStarted,
  kCalibrate,
  kCalibrated,
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
  kLookAround,
  kLookedAround,
  kAskCounters,
  kBeginCount,
  kEndCount,
  kCounted,
  kTimeCopies,
  kCopiesTimed,
  kSample,
  kSampled,
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
  friend bool operator==(const UseDevice&, const UseDevice&) = default;
};

}  // namespace fib::worker
