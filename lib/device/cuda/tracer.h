#pragma once

#include <functional>
#include <memory>
#include <string>

#include "device/cuda/api_watcher.h"
#include "device/cuda/context.h"
#include "device/cuda/trace.h"

namespace fib::device::cuda {

// Which of CUPTI's two records of kernels. One at a time runs each kernel alone and agrees best with Nsight
// Compute; concurrent leaves streams as they are, but slows some kernels (docs/measuring.md).
enum class TraceKind { kOneAtATime, kConcurrent };

// Records what this process makes the device do between start() and finish(), by CUPTI's activity records:
// kernels, copies and sets, also those that graphs and other kernels launch. At other times every kind of
// record is disabled, so that it costs nothing.
//
// A record belongs to the call when the thread of start() asked the driver for it within call(), and to fib
// within own(): by the number that CUPTI gives each call of the driver, never by time. CUPTI knows one
// session a process and calls back without a context, so there can be one Tracer a process. One thread.
class Tracer {
 public:
  struct Limits {
    std::size_t buffer_bytes = 256 * 1024;  // of one buffer for records: CUPTI stalls on large ones
    std::size_t buffers = 1024;             // at a time; records beyond are lost, and counted
  };

  // `watcher` must outlive the tracer. Throws Error with one sentence when CUPTI is missing, too old, or
  // refuses (another profiler is attached).
  Tracer(const Context& context, ApiWatcher& watcher) : Tracer(context, watcher, Limits{}) {}
  Tracer(const Context& context, ApiWatcher& watcher, Limits limits);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // What an earlier start() without finish() has recorded is forgotten. The device must be idle: what begins
  // before is not recorded. Throws Error.
  void start(TraceKind kind);

  // Runs `work`, waits for the whole device, and says what the device did for it. Throws DriverError, Error,
  // and what `work` throws.
  [[nodiscard]] Trace call(const std::function<void()>& work);

  // Runs `work`: fib's own, not the call's. May be used at any time.
  void own(const std::function<void()>& work);

  // Waits for the whole device; how many pieces of its work since start() were neither the call's nor fib's
  // own: by records, unless some were lost, or by calls of the driver, whichever is more, since anybody in
  // the process may switch records off. Does nothing and says 0 without start().
  [[nodiscard]] std::uint64_t finish();

 private:
  class Session;
  const Context& context_;
  std::unique_ptr<Session> session_;
};

}  // namespace fib::device::cuda
