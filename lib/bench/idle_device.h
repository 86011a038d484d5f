#pragma once

#include "bench/evaluation_parts.h"
#include "worker/judge.h"
#include "worker/worker.h"

// Whether a GPU has work of others. A GPU gives each process that has work for it a slice of time in turn, on
// an H200 some 2.4 ms, and a call that finds it with another process waits for its own: whoever is timed then
// seems slower.
namespace fib::bench {

// A worker that is stopped while this lives. What it has queued on a GPU goes on there.
class Stopped {
 public:
  explicit Stopped(worker::Worker& worker) : worker_(worker) { worker_.stop(); }
  ~Stopped() { worker_.go_on(); }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;

 private:
  worker::Worker& worker_;
};

// How often it is looked, a millisecond apart, whether a busy GPU becomes idle.
inline constexpr int kLooksForIdle = 20;

// Whether the judge's device is idle at one of so many looks. One thread; throws JudgeLost.
[[nodiscard]] bool becomes_idle(worker::Judge& judge, int looks);

// What is said where it does not. Whose work it is cannot be told.
[[nodiscard]] NoVerdict busy_device();

}  // namespace fib::bench
