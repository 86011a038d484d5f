#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "worker/channel.h"
#include "worker/messages.h"

namespace fib::worker {

// What to start: a program with arguments, its whole environment, and where.
struct ChildSpec {
  std::vector<std::string> arguments;  // [0] is the program's path
  std::vector<std::string> environment;
  std::filesystem::path folder = "/";
  std::uint64_t file_size_limit = 0;  // bytes a file may grow to; 0 is unlimited
};

// The coordinator's side of the keeper. Safe to use from many threads. Destroying it ends the keeper and with
// it every descendant of every child.
class Spawner {
 public:
  // Starts the keeper: `fib_program` is the fib binary. Throws Error.
  explicit Spawner(const std::string& fib_program);
  ~Spawner();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  // Starts a child that gets `channel` as descriptor 3 and `output` as stdout and stderr (both stay the
  // caller's and should be closed after). Returns its id. Throws Error when it cannot be started.
  [[nodiscard]] std::uint32_t spawn(const ChildSpec& spec, int channel, int output);

  // Kills the child and all its descendants; returns at once. Harmless when it is gone.
  void kill(std::uint32_t id);

  // Kills every child that lives, and its descendants.
  void kill_all();

  // The wait status of a child that has ended, waiting at most `milliseconds` for that; nothing if it still
  // lives.
  [[nodiscard]] std::optional<int> wait(std::uint32_t id, int milliseconds);

  // The child's process id while it is known.
  [[nodiscard]] std::optional<pid_t> pid_of(std::uint32_t id);

  // The keeper keeps the descriptor open until every descendant is gone: for locks.
  void hold(int fd);

  // The keeper removes the folder after every descendant is gone, also when the coordinator was killed.
  void remove_at_end(const std::filesystem::path& folder);

  [[nodiscard]] pid_t keeper_pid() const { return keeper_pid_; }

 private:
  struct ChildState {
    std::optional<Spawned> spawned;
    std::optional<int> wait_status;
  };
  void send(MessageType type, const std::string& payload, const std::vector<int>& fds);
  void read_answers();
  std::uint32_t reserve_id();

  std::unique_ptr<Channel> channel_;
  pid_t keeper_pid_ = -1;
  std::mutex send_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint32_t, ChildState> children_;
  std::uint32_t next_id_ = 1;
  bool keeper_gone_ = false;
  std::thread reader_;
};

// "exit code 3", "SIGSEGV (segmentation fault)": what a wait status means, for logs.
[[nodiscard]] std::string describe_wait_status(int wait_status);

}  // namespace fib::worker
