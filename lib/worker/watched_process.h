#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "util/run_delay.h"

namespace fib::worker {

// A worker's process seen from outside: what it uses of the CPUs, and whether it is at rest. All of it is the
// kernel's word. One thread at a time.
class WatchedProcess {
 public:
  // `may_fork`: its descendants are looked at too (of a process in the sandbox without processes there are
  // none).
  WatchedProcess(pid_t pid, bool may_fork);

  // CPU time so far, in nanoseconds. Exact for threads that sleep or are stopped; others lag behind by a tick
  // of the kernel at most.
  struct Usage {
    std::int64_t main_ns = 0;                        // the main thread
    std::int64_t others_ns = 0;                      // all other threads, those that have ended too
    std::map<pid_t, std::int64_t> descendants_ns{};  // those that live
    long last_pid = 0;         // where it may fork: the machine's last process or thread id
    bool was_stopped = false;  // to be read: its threads wake up afterwards
  };
  [[nodiscard]] Usage usage();
  // The same, exact for threads that run, too: where some do but the main one, or `of_main_thread`, all of
  // the process group that it leads is stopped meanwhile. The main thread has to wait for something that only
  // the caller does.
  [[nodiscard]] Usage exact_usage(bool of_main_thread = false);
  // Sends SIGSTOP to the process group that it leads, and waits until none of its threads, nor of its
  // descendants', runs any more: calls of the kernel go on until they end. Otherwise why it does not stop, as
  // what follows "since": it has used the CPU for `most_cpu_ms` meanwhile, or a minute has passed. SIGCONT to
  // the group ends it.
  [[nodiscard]] std::optional<std::string> stop(int most_cpu_ms);

  // What all but the main thread have used since `before`. Of descendants that ended in between nothing is
  // known.
  [[nodiscard]] static std::int64_t used_by_others_ns(const Usage& before, const Usage& now);

  // Whether a descendant may have begun and ended in between, or has ended.
  [[nodiscard]] static bool may_have_lost_some(const Usage& before, const Usage& now);

  // How long the main thread has been ready to run without getting a CPU so far, in nanoseconds.
  [[nodiscard]] std::int64_t waiting_ns() const { return main_thread_.ns(); }

  // Waits until the main thread sleeps, so that its CPU time is exact; a few milliseconds at most. Whether it
  // does.
  bool await_main_thread() const;

  [[nodiscard]] bool may_fork() const { return may_fork_; }
  [[nodiscard]] bool has_other_threads() const;
  // Whether it has, or may have, descendants.
  [[nodiscard]] bool has_descendants();

  enum class Worker { kNobody, kThreads, kProcesses };
  struct Rest {
    Worker at_work = Worker::kNobody;   // who still worked after the limit
    std::int64_t last_activity_ns = 0;  // monotonic; when they were last seen working, 0 if never
  };
  // The CPU's counterpart of a device-wide synchronise: waits until no thread but the main one, and no
  // descendant, works. Returns at once when there are none; otherwise watches for `window_us` without
  // activity, for at most `limit_ms`.
  [[nodiscard]] Rest wait_until_rest(int window_us, int limit_ms);

 private:
  [[nodiscard]] std::int64_t cpu_ns(pid_t pid) const;
  [[nodiscard]] bool another_is_runnable() const;
  [[nodiscard]] bool a_descendant_works();
  // Whether it and its descendants stop after a SIGSTOP. `ask_each`: those that do not get one for each of
  // their threads.
  [[nodiscard]] bool all_stop(bool ask_each) const;

  pid_t pid_;
  bool may_fork_;
  util::RunDelay main_thread_;
  long childless_at_ = -1;  // the machine's last process id when it had no descendants
};

}  // namespace fib::worker
