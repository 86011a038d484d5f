#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "worker/spawner.h"

namespace fib::bench {

// Kills all of a spawner's children as soon as `interrupted` is true, so that no request waits for its
// deadline. Has a thread of its own; both references must outlive it.
class InterruptWatch {
 public:
  InterruptWatch(const std::atomic<bool>& interrupted, worker::Spawner& spawner);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace fib::bench
