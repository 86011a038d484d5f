#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tracing/kept_call.h"

namespace fib::tracing {

// Writes kept calls into a dataset, in a thread of its own, which takes no signals. First the call's blob,
// then its record; both are on the disk before the next calls are taken, and neither is ever seen in parts.
class Writer {
 public:
  // `root` is the dataset's folder. Throws std::system_error when there is no thread to be had.
  explicit Writer(std::filesystem::path root);
  // Writes what was added; in a forked child, which has no such thread, nothing.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Whether this is the process that made it, and no forked child.
  [[nodiscard]] bool is_own_process() const noexcept { return ::getpid() == process_; }

  // Throws Error in a forked child.
  void add(std::unique_ptr<KeptCall> call);

  // Waits until everything that was added before is written or lost. Throws Error when calls were lost since
  // the last flush, with the first reason, and in a forked child.
  void flush();

  // Why calls were lost: the last reason; "" when none was.
  [[nodiscard]] std::string last_error() const;

 private:
  using Calls = std::vector<std::unique_ptr<KeptCall>>;
  void expect_own_process() const;  // throws Error in a forked child
  void run();
  void take_next(Calls& calls);  // at least one, under the lock
  void write(const Calls& calls);
  [[nodiscard]] std::string write_blob(const KeptCall& call, const std::string& uuid) const;
  void lose(Site& site, std::uint64_t calls, const std::string& reason);

  // What the thread shares with callers.
  struct Shared {
    std::mutex mutex;
    std::condition_variable wake;  // of the thread
    std::condition_variable done;
    std::deque<std::unique_ptr<KeptCall>> queue;
    std::uint64_t added = 0;
    std::uint64_t finished = 0;
    bool is_closing = false;
    std::uint64_t lost = 0;   // since the last flush
    std::string first_error;  // since the last flush
    std::string last_error;
  };
  std::filesystem::path root_;
  pid_t process_;
  std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
  std::thread thread_;
};

}  // namespace fib::tracing
