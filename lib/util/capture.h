#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "util/unique_fd.h"

namespace fib::util {

// Drains one end of a pipe in a thread of its own, so that a child can never block on its own chatter, and
// keeps the first `limit` bytes. Safe to use from any thread.
class Capture {
 public:
  // Takes ownership of the reading end. The thread ends when every writing end is closed, or on stop().
  Capture(UniqueFd read_end, std::size_t limit);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // What was written to the pipe so far and was not taken before; "\n\n[log truncated]\n" stands where bytes
  // were thrown away. The limit counts anew after each take.
  [[nodiscard]] std::string take();

  // Waits until the pipe is closed by all writers, at most `milliseconds`, then stops the thread.
  void stop(int milliseconds);

 private:
  void drain();
  void keep(std::string_view bytes);  // the lock is held
  bool read_available();              // the lock is held; false once every writer has closed

  UniqueFd read_end_;
  UniqueFd stop_event_;
  const std::size_t limit_;
  std::mutex mutex_;
  std::string kept_;
  bool truncated_ = false;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace fib::util
