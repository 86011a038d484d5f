#pragma once

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>  // NOLINT: sigwait is POSIX's
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "commands.h"
#include "present/source_text.h"
#include "util/clock.h"
#include "util/error.h"

namespace fib::cmd {

// Turns Ctrl-C and SIGTERM into a flag: the first asks the command to stop, one that comes half a second
// later or more ends the process at once (the keeper of a run then cleans up): programs that stop others,
// such as timeout, send a signal to the process and to its group. The signals are blocked in all threads and
// taken by one, as long as the object lives.
class InterruptSignals {
 public:
  explicit InterruptSignals(std::atomic<bool>& flag) {
    ::sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR2}) ::sigaddset(&signals_, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    thread_ = std::thread([this, &flag] {
      constexpr std::int64_t kOneRequestNs = 500'000'000;
      std::int64_t first_ns = 0;
      for (int signal = 0; ::sigwait(&signals_, &signal) == 0 && signal != SIGUSR2;) {
        const std::int64_t now = util::monotonic_ns();
        if (!flag.exchange(true)) {
          first_ns = now;
        } else if (now - first_ns >= kOneRequestNs) {
          ::_exit(kInterrupted);
        }
      }
    });
  }
  ~InterruptSignals() {
    ::pthread_kill(thread_.native_handle(), SIGUSR2);
    thread_.join();
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  InterruptSignals(const InterruptSignals&) = delete;
  InterruptSignals& operator=(const InterruptSignals&) = delete;

 private:
  sigset_t signals_{};
  sigset_t before_{};
  std::thread thread_;
};

// Does `work()`, which throws Error soon after `interrupted` is set; that ends with exit code 130 then.
template <typename Work>
int unless_interrupted(const std::atomic<bool>& interrupted, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!interrupted) throw;
    fmt::print(stderr, "fib: {}\n", present::quoted_lines(error.what()));
    return kInterrupted;
  }
}

// The same with a flag that Ctrl-C sets as long as `work(flag)` is done.
template <typename Work>
int until_interrupted(Work&& work) {
  std::atomic<bool> interrupted = false;
  const InterruptSignals signals(interrupted);
  return unless_interrupted(interrupted, [&] { return work(interrupted); });
}

}  // namespace fib::cmd
