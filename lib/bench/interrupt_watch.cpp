#include "bench/interrupt_watch.h"

#include <chrono>

namespace fib::bench {

InterruptWatch::InterruptWatch(const std::atomic<bool>& interrupted, worker::Spawner& spawner)
    : thread_([this, &interrupted, &spawner] {
        std::unique_lock lock(mutex_);
        while (!done_) {
          if (interrupted) spawner.kill_all();
          changed_.wait_for(lock, std::chrono::milliseconds(50));
        }
      }) {}

InterruptWatch::~InterruptWatch() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace fib::bench
