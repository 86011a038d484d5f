#pragma once

#include <memory>
#include <string>

#include "bench/config.h"
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

// A worker for references in the native engine, which starts its device.
[[nodiscard]] WorkerKind native_reference_kind(const DeviceProcesses& processes);

// Makes ready what the next run with these settings will need, and waits for it: a judge, a worker of the
// kind that the last run began with, and one for references in the native engine, if they may run there. What
// waits already, stays. What fails will be told by whoever needs it.
void prepare_next(const DeviceProcesses& processes, ReferenceEngine engine);

}  // namespace fib::bench
