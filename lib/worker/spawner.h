#pragma once

#include <atomic>
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

#include "util/error.h"
#include "util/timeline.h"
#include "util/unique_fd.h"
#include "worker/channel.h"
#include "worker/keeper_messages.h"

namespace fib::worker {

// The keeper is gone, and all children with it: nothing that can be said against a solution.
class KeeperLost : public Error {
 public:
  using Error::Error;
};

// The name of the process that has the Spawner, in the timeline.
constexpr const char* kCoordinator = "fib";
constexpr const char* kDevice = "the device";

// What to start: a program with arguments, its whole environment, and where.
struct ChildSpec {
  std::vector<std::string> arguments;  // [0] is the program's path
  std::vector<std::string> environment;
  std::filesystem::path folder = "/";
  std::uint64_t file_size_limit = 0;  // bytes a file may grow to; 0 is unlimited
  // Bytes that all its processes may have together; 0 is unlimited. Holds where the system lets fib make a
  // control group (sandbox/memory_group.h).
  std::uint64_t memory_limit = 0;
};

// The coordinator's side of the keeper. Safe to use from many threads. Destroying it ends the keeper and with
// it every descendant of every child.
//
// A keeper that is killed, or that does not answer for a minute, is lost: this side then does what is left of
// its work. It kills every child by its pidfd, and all descendants, which the kernel hands to the coordinator
// (a subreaper as long as this lives); then it removes the folders of remove_at_end() and sweeps caches.
// These descendants are told apart from the coordinator's own children by their sessions, so a process has
// one Spawner at a time, and its other children stay in its session.
class Spawner {
 public:
  // Starts the keeper: `fib_program` is the fib binary. `timeline`, which must outlive this, is where
  // children tell what they were asked to do when. Throws Error.
  explicit Spawner(const std::string& fib_program, util::Timeline* timeline = nullptr);
  ~Spawner();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  // Starts a child that gets `channel` as descriptor 3 and `output` as stdout and stderr (both stay the
  // caller's and should be closed after). Returns its id. Throws Error when it cannot be started, KeeperLost.
  [[nodiscard]] std::uint32_t spawn(const ChildSpec& spec, int channel, int output);

  // Kills the child and all its descendants; returns at once. Harmless when it is gone.
  void kill(std::uint32_t id);

  // Kills every child that lives, and its descendants.
  void kill_all();

  // The wait status of a child that has ended, as the keeper saw it, waiting at most `milliseconds` for that;
  // nothing if it still lives or the keeper is lost.
  [[nodiscard]] std::optional<int> wait(std::uint32_t id, int milliseconds);

  // The child's process id while it is known.
  [[nodiscard]] std::optional<pid_t> pid_of(std::uint32_t id);

  // Whether the child ended by SIGKILL without having been killed here: somebody else did that, the kernel
  // for the machine's want of memory, or the child itself.
  [[nodiscard]] bool killed_by_others(std::uint32_t id);

  // Whether its memory_limit holds, and whether the kernel has ended the child because it was reached.
  [[nodiscard]] bool has_memory_group(std::uint32_t id);
  [[nodiscard]] bool memory_exhausted(std::uint32_t id);

  // Whether the keeper is gone. No child dies of that before this says so.
  [[nodiscard]] bool lost() const;

  // Why it is lost, in a sentence without end; to be asked when it is.
  [[nodiscard]] std::string loss();

  // The keeper keeps the descriptor open until every descendant is gone: for locks.
  void hold(int fd);

  // The keeper removes the folder after every descendant is gone, also when the coordinator was killed.
  void remove_at_end(const std::filesystem::path& folder);

  // Likewise it removes what killed builders left in the cache of artifacts (compile/cache_leftovers.h).
  void sweep_at_end(const std::filesystem::path& cache);

  [[nodiscard]] pid_t keeper_pid() const { return keeper_pid_; }
  [[nodiscard]] util::Timeline* timeline() const { return timeline_; }  // null: nobody wants to know

 private:
  struct ChildState {
    std::optional<Spawned> spawned;
    std::optional<int> wait_status;
    util::UniqueFd pidfd;           // until it has ended
    bool killed = false;            // kill() was called
    bool memory_exhausted = false;  // by its own limit
  };
  void send(MessageType type, const std::string& payload, const std::vector<int>& fds);
  void read_answers();
  void take_answer(Message& message);
  void await_keeper();
  void kill_keeper(const std::string& why);
  void clean_up();
  std::uint32_t reserve_id();

  std::unique_ptr<Channel> channel_;
  pid_t keeper_pid_ = -1;
  util::UniqueFd keeper_pidfd_;
  std::atomic<bool> closing_ = false;
  std::mutex send_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint32_t, ChildState> children_;
  std::uint32_t next_id_ = 1;
  std::vector<std::filesystem::path> folders_;  // to be removed at the end
  std::vector<std::filesystem::path> caches_;   // to be swept
  bool keeper_gone_ = false;
  std::string loss_;
  util::Timeline* timeline_;
  std::thread reader_;
};

// "exit code 3", "SIGSEGV (segmentation fault)": what a wait status means, for logs.
[[nodiscard]] std::string describe_wait_status(int wait_status);

}  // namespace fib::worker
