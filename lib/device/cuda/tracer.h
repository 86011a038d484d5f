#pragma once

#include <functional>
#include <memory>
#include <string>

#include "device/cuda/context.h"
#include "device/cuda/trace.h"

namespace fib::device::cuda {

// Which of CUPTI's two records of kernels. One at a time runs each kernel alone and agrees best with Nsight
// Compute; concurrent leaves streams as they are, but slows some kernels (docs/measuring.md).
enum class TraceKind { kOneAtATime, kConcurrent };

// Records what one call makes the device do, by CUPTI's activity records: kernels, copies and sets, also
// those that graphs and other kernels launch. Outside of trace() every kind of record is disabled, so that it
// costs nothing.
//
// A record belongs to the call by an external correlation id that the calling thread carries, never by time;
// only launches, copies and sets are traced on the host. CUPTI knows one session a process and calls back
// without a context, so there can be one Tracer a process. One thread.
class Tracer {
 public:
  struct Limits {
    std::size_t buffer_bytes = 256 * 1024;  // of one buffer for records: CUPTI stalls on large ones
    std::size_t buffers = 1024;             // at a time; records beyond are lost, and counted
  };

  // Throws Error with one sentence when CUPTI is missing, too old, or refuses (another profiler is attached).
  explicit Tracer(const Context& context) : Tracer(context, Limits{}) {}
  Tracer(const Context& context, Limits limits);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // Runs `work`, waits for the whole device, and says what it did. Throws DriverError, Error, and what `work`
  // throws.
  [[nodiscard]] Trace trace(TraceKind kind, const std::function<void()>& work);

 private:
  class Session;
  const Context& context_;
  std::unique_ptr<Session> session_;
};

}  // namespace fib::device::cuda
