#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "worker/answer.h"
#include "worker/judge.h"
#include "worker/watched_process.h"
#include "worker/worker_messages.h"

namespace fib::worker {

// What one call took: the worker's claim, and what the coordinator's own clock and the kernel saw of it.
struct CallTimes {
  // Beside its run: the coordinator's clock around the other requests, and the waiting for a CPU in them.
  struct Beside {
    std::int64_t prepare_ns = 0;
    std::int64_t prepare_waited_ns = 0;
    std::int64_t collect_ns = 0;
    std::int64_t collect_waited_ns = 0;
    std::int64_t open_ns = 0;  // on CUDA: to open the workload, where that comes after begin_call()
    std::int64_t open_waited_ns = 0;
    std::int64_t rest_ns = 0;  // on the CPU: from the answer to Collect until the main thread sleeps
    std::int64_t rest_waited_ns = 0;
    std::int64_t main_cpu_ns = 0;     // of the main thread from begin_call() to this rest, the run included
    std::int64_t main_before_ns = 0;  // of it, at least so much before the run
    std::int64_t main_after_ns = 0;   // and, unless the main thread never slept in the run, so much after it
    // Where others worked in the run: from its end until the main thread sleeps, and the waiting in it. Then
    // main_after_ns begins there, and has nothing of the run.
    std::int64_t after_run_ns = 0;
    std::int64_t after_run_waited_ns = 0;
    bool is_after_exact = false;
    // Of all others since end_call() until the next, without the run; on CUDA in the two requests alone, and
    // in that to open a workload, where it comes after begin_call().
    std::int64_t others_cpu_ns = 0;
    // On the CPU: some may have begun or ended in Prepare or Collect, and are not in it.
    bool lost_processes = false;
    // On CUDA, where it was asked for: of all others, exact, from begin_call() to end_call().
    std::optional<std::int64_t> exact_others_ns{};
  };
  Done done;
  // The coordinator's clock around the run. On the CPU it ends, as the claim does, when the worker's threads
  // and processes have come to rest.
  std::int64_t envelope_ns = 0;
  std::int64_t waited_ns = 0;      // of it, the worker's main thread was ready to run and had no CPU
  std::int64_t own_waited_ns = 0;  // the same of the coordinator's thread
  std::int64_t others_cpu_ns = 0;  // used by the worker's other threads and processes
  bool lost_processes = false;     // some may have ended meanwhile: they are not in it
  WatchedProcess::Worker at_work = WatchedProcess::Worker::kNobody;  // who never came to rest
  Beside beside{};
};

// A solution's or a reference's worker as an evaluation needs it. What the worker does wrong is a Failure;
// after any but kRefused it is dead. Deadlines are in nanoseconds of the monotonic clock. One thread.
class Worker {
 public:
  virtual ~Worker() = default;

  [[nodiscard]] virtual Answer<bool> open(const Open& workload, const DoorFds& door,
                                          std::int64_t deadline_ns) = 0;
  // From here on what the worker uses of the CPUs is part of the next call; to be called before its inputs
  // are written where the worker can read them. On the CPU the process is stopped for a moment, so that its
  // account is exact, where other threads run before the run, after Collect and in end_call(); and before the
  // run, if it starts no processes, where Prepare took longer than `usual_prepare_ns`. On CUDA it is stopped
  // here and in end_call() where other threads run and the call is to be `exact`. Then, in this order, once
  // each:
  virtual void begin_call(std::int64_t usual_prepare_ns, bool exact) = 0;
  [[nodiscard]] virtual Answer<bool> prepare(Clock clock, std::int64_t deadline_ns) = 0;
  [[nodiscard]] virtual Answer<CallTimes> run(Clock clock, std::int64_t deadline_ns) = 0;
  [[nodiscard]] virtual Answer<Collected> collect(std::int64_t deadline_ns) = 0;
  // The outputs are judged: what the worker used of the CPUs since they were collected counts as well. May be
  // left out.
  virtual void end_call() = 0;
  // Of the last call, once it is collected.
  [[nodiscard]] virtual const CallTimes::Beside& beside_last_call() const = 0;

  // Stops the worker's process group, and lets it go on. A request to a stopped worker is not answered. One
  // that goes on in a call of the kernel is waited for, and killed when it has used a CPU for some seconds.
  virtual void stop() = 0;
  virtual void go_on() = 0;

  // What it printed since this was called last.
  [[nodiscard]] virtual std::string take_output() = 0;
};

}  // namespace fib::worker
