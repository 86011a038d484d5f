#pragma once

#include <memory>
#include <string>

#include "bench/guest_pool.h"
#include "bench/next_worker.h"
#include "worker/clients.h"

namespace fib::bench {

// Processes that the next run on a device will need, made ready between two runs of a session. Nothing of a
// solution or a reference is in them. Each is used by one thread at a time.
struct NextProcesses {
  std::unique_ptr<worker::JudgeClient> judge;  // null: none waits
  worker::UseDevice judge_device;
  NextWorker solution;   // also of the next solution of the same run
  NextWorker reference;  // in the native engine
};

// How processes are started that work on one device of a session, which must outlive them.
struct DeviceProcesses {
  worker::Spawner& spawner;
  worker::ChildSetup children;
  worker::UseDevice device;     // what they are told to use; without a UUID on the CPU
  unsigned threads = 1;         // of a reference in the native engine
  GuestPool* guests = nullptr;  // interpreters; null: there is no Python
  std::string no_torch = {};    // why references cannot run in Python; empty: they can
  std::shared_ptr<NextProcesses> next = std::make_shared<NextProcesses>();
};

// A judge is there and cannot use its device.
class DeviceUnusable : public Error {
 public:
  using Error::Error;
};

// A new judge, which knows its device. Throws worker::JudgeLost, DeviceUnusable.
[[nodiscard]] std::unique_ptr<worker::JudgeClient> start_judge(const DeviceProcesses& processes);

// The judge that waits, where it knows this device, else a new one. Throws as start_judge() does.
[[nodiscard]] std::unique_ptr<worker::JudgeClient> judge_for(const DeviceProcesses& processes);

// A worker for references in the native engine, confined and with its device started. `kind` is
// native_reference_kind(). Any thread. Throws Error: a machine that does not confine or start it.
[[nodiscard]] WorkerKind native_reference_kind(const DeviceProcesses& processes);
[[nodiscard]] std::unique_ptr<worker::WorkerClient> native_reference_worker(
    worker::Spawner& spawner, const worker::ChildSetup& children, const WorkerKind& kind);

// Whether the next run's references may be evaluated by the native engine.
enum class NativeReference { kUnlikely, kLikely };

// Makes ready what the next run with these settings will need: a judge, a worker of the kind that the last
// run began with, and one for references in the native engine. What waits already, stays. Returns when all
// are ready, mostly within half a second; each may take twice as long as start_limit() says. What fails
// will be told by whoever needs it. One thread, between two runs.
void prepare_next(const DeviceProcesses& processes, NativeReference reference);

}  // namespace fib::bench
