#pragma once

#include <memory>
#include <string>

#include "bench/guest_pool.h"
#include "worker/clients.h"

namespace fib::bench {

// How processes are started that work on one device of a session, which must outlive them.
struct DeviceProcesses {
  worker::Spawner& spawner;
  worker::ChildSetup children;
  worker::UseDevice device;     // what they are told to use; without a UUID on the CPU
  unsigned threads = 1;         // of a reference in the native engine
  GuestPool* guests = nullptr;  // interpreters; null: there is no Python
  std::string no_torch = {};    // why references cannot run in Python; empty: they can
};

// A judge is there and cannot use its device.
class DeviceUnusable : public Error {
 public:
  using Error::Error;
};

// A new judge, which knows its device. Throws worker::JudgeLost, DeviceUnusable.
[[nodiscard]] std::unique_ptr<worker::JudgeClient> start_judge(const DeviceProcesses& processes);

}  // namespace fib::bench
