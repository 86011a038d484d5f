#include "worker/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <vector>

#include "compile/cache_leftovers.h"
#include "sandbox/memory_group.h"
#include "util/beneath.h"
#include "util/c_strings.h"
#include "util/errno_error.h"
#include "worker/channel.h"
#include "worker/keeper_messages.h"
#include "worker/messages.h"
#include "worker/process_tree.h"

namespace fib::worker {
namespace {

constexpr int kChildChannelFd = 3;
constexpr const char* kGroupName = "fib";
constexpr std::int64_t kOldGroupSeconds = 60;  // others may have been made just now, for a child to enter

// In the new child, between fork and exec: only async-signal-safe calls. The keeper has one thread, so even
// the allocations made before fork are safe to use.
struct ChildStart {
  const char* folder;
  std::uint64_t file_size_limit;
  char** arguments;
  char** environment;
  int channel;
  int output;
  int failure;  // where errno goes when exec fails; closed by a successful exec
  pid_t keeper;
  const sandbox::MemoryGroup* group;  // null: none
};

void limit(__rlimit_resource resource, rlim_t value) {
  const rlimit both{value, value};
  ::setrlimit(resource, &both);
}

[[noreturn]] void start_child(const ChildStart& start) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.keeper) ::_exit(127);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  limit(RLIMIT_CORE, 0);
  if (start.file_size_limit != 0) limit(RLIMIT_FSIZE, start.file_size_limit);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGXFSZ})
    ::signal(signal, SIG_DFL);  // the keeper ignores them
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Descriptors above the targets first, so that no dup2 below overwrites one that is still needed.
  const int channel = ::fcntl(start.channel, F_DUPFD, 10);
  const int output = ::fcntl(start.output, F_DUPFD, 10);
  const int failure = ::fcntl(start.failure, F_DUPFD_CLOEXEC, 10);
  const int nothing = ::open("/dev/null", O_RDONLY);
  bool ok = channel >= 0 && output >= 0 && failure >= 0 && nothing >= 0 && ::chdir(start.folder) == 0;
  ok = ok && (start.group == nullptr || start.group->enter());
  ok = ok && ::dup2(nothing, 0) == 0 && ::dup2(output, 1) == 1 && ::dup2(output, 2) == 2;
  ok = ok && ::dup2(channel, kChildChannelFd) == kChildChannelFd && ::dup2(failure, 4) == 4;
  ok = ok && ::fcntl(4, F_SETFD, FD_CLOEXEC) == 0 && ::close_range(5, ~0U, 0) == 0;
  if (ok) ::execve(start.arguments[0], start.arguments, start.environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t put = ::write(ok ? 4 : failure, &error, sizeof error);
  ::_exit(127);
}

class Keeper {
 public:
  explicit Keeper(util::UniqueFd socket) : channel_(std::move(socket)) {}

  int run() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    sigset_t child_signal;
    ::sigemptyset(&child_signal);
    ::sigaddset(&child_signal, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_signal, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);
    signals_.reset(::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_.valid()) throw util::errno_error("cannot make a signalfd");
    // Of earlier runs whose processes were all killed.
    sandbox::remove_groups(place_for_groups_, kGroupName, kOldGroupSeconds);
    while (serve()) {
    }
    end();
    return 0;
  }

 private:
  // One turn; false when the coordinator is gone.
  bool serve() {
    pollfd events[2] = {{channel_.fd(), POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    if (::poll(events, 2, -1) < 0) return errno == EINTR;
    if (events[1].revents != 0) {
      std::array<signalfd_siginfo, 16> ignored;
      while (::read(signals_.get(), ignored.data(), sizeof ignored) > 0) {
      }
      reap();
    }
    if (events[0].revents == 0) return true;
    Message message;
    if (channel_.receive(message, -1) != Channel::Result::kMessage) return false;
    handle(message);
    return true;
  }

  void handle(Message& message) {
    if (message.type == MessageType::kSpawn) {
      spawn(Spawn::decode(message.payload), message.fds);
    } else if (message.type == MessageType::kKill) {
      const auto child = pids_.find(WireReader(message.payload).number<std::uint32_t>());
      if (child != pids_.end()) kill_tree(child->second);
    } else if (message.type == MessageType::kHold) {
      for (auto& fd : message.fds) hold(std::move(fd));
    } else if (message.type == MessageType::kRemoveAtEnd) {
      folders_.push_back(WireReader(message.payload).text());
    } else if (message.type == MessageType::kSweepAtEnd) {
      caches_.push_back(WireReader(message.payload).text());
    }
  }

  // In place of an earlier one of the same file: a coordinator that makes many runs takes its locks anew for
  // each.
  void hold(util::UniqueFd fd) {
    struct stat file {};
    (void)::fstat(fd.get(), &file);
    std::erase_if(held_, [&](const util::UniqueFd& other) {
      struct stat held {};
      return ::fstat(other.get(), &held) == 0 && held.st_dev == file.st_dev && held.st_ino == file.st_ino;
    });
    held_.push_back(std::move(fd));
  }

  void spawn(Spawn request, const std::vector<util::UniqueFd>& fds) {
    Spawned answer;
    answer.id = request.id;
    answer.error = fds.size() == 2 ? start(request, fds, answer.pid) : "two descriptors are needed";
    util::UniqueFd pidfd;
    answer.memory_group = groups_.contains(request.id);
    if (answer.error.empty()) {
      pids_[request.id] = answer.pid;
      pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, answer.pid, 0)));
    }
    try {
      (void)channel_.send(MessageType::kSpawned, request.id, answer.encode(),
                          pidfd.valid() ? std::vector<int>{pidfd.get()} : std::vector<int>{});
    } catch (const std::system_error& error) {  // too many descriptors are on their way
      kill_tree(answer.pid);
      answer = {request.id, 0, std::string("cannot hand over the process: ") + error.what(), false};
      (void)channel_.send(MessageType::kSpawned, request.id, answer.encode(), {});
    }
  }

  // The error's text, or empty. Where groups can be made, but not be entered, children have none.
  std::string start(Spawn& request, const std::vector<util::UniqueFd>& fds, std::int32_t& pid) {
    auto group = group_for(request);
    if (!group) return fork_child(request, fds, nullptr, pid);
    if (fork_child(request, fds, group.get(), pid).empty()) {
      groups_[request.id] = std::move(group);
      return {};
    }
    (void)group->remove();
    auto error = fork_child(request, fds, nullptr, pid);
    if (error.empty()) can_enter_groups_ = false;
    return error;
  }

  // Forks and waits until the child has executed its program; the error's text, or empty.
  static std::string fork_child(Spawn& request, const std::vector<util::UniqueFd>& fds,
                                const sandbox::MemoryGroup* group, std::int32_t& pid) {
    auto arguments = util::c_pointers(request.arguments);
    auto environment = util::c_pointers(request.environment);
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0) return std::strerror(errno);
    const util::UniqueFd failure_read(failure[0]);
    util::UniqueFd failure_write(failure[1]);
    const ChildStart start{request.folder.c_str(),
                           request.file_size_limit,
                           arguments.data(),
                           environment.data(),
                           fds[0].get(),
                           fds[1].get(),
                           failure_write.get(),
                           ::getpid(),
                           group};
    pid = ::fork();
    if (pid == 0) start_child(start);
    if (pid < 0) return std::strerror(errno);
    failure_write.reset();
    int error = 0;
    ssize_t got = 0;
    do {
      got = ::read(failure_read.get(), &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof error) return {};
    ::waitpid(pid, nullptr, 0);
    return std::string("cannot start ") + request.arguments[0] + ": " + std::strerror(error);
  }

  std::unique_ptr<sandbox::MemoryGroup> group_for(const Spawn& request) const {
    if (request.memory_limit == 0 || !can_enter_groups_) return nullptr;
    return sandbox::MemoryGroup::make(place_for_groups_, group_name_of(::getpid()), request.memory_limit);
  }

  void reap() {
    int status = 0;
    bool ended = false;
    for (pid_t pid = 0; (pid = ended_child()) > 0;) {
      const auto child =
          std::find_if(pids_.begin(), pids_.end(), [pid](const auto& c) { return c.second == pid; });
      // Before its number is free again. The kernel lets no member of a group fork past this signal.
      if (child != pids_.end()) ::kill(-pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      if (child == pids_.end()) continue;
      const Exited exited{child->first, status, end_group(child->first)};
      (void)channel_.send(MessageType::kExited, child->first, exited.encode());
      pids_.erase(child);
      ended = true;
    }
    if (ended) kill_orphans();
    // Some may have processes that have not ended yet.
    std::erase_if(ended_groups_, [](const auto& group) { return group->remove(); });
  }

  // Whether the child reached its limit of memory.
  bool end_group(std::uint32_t id) {
    const auto group = groups_.find(id);
    if (group == groups_.end()) return false;
    const bool exhausted = group->second->was_exhausted();
    ended_groups_.push_back(std::move(group->second));
    groups_.erase(group);
    return exhausted;
  }

  // A child that has ended and was not waited for; 0: none.
  static pid_t ended_child() {
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid : 0;
  }

  // Children of ours that we did not start: orphans of a child that has ended.
  void kill_orphans() {
    std::vector<pid_t> orphans = children_of(::getpid());
    std::erase_if(orphans, [this](pid_t orphan) {
      return std::any_of(pids_.begin(), pids_.end(), [&](const auto& c) { return c.second == orphan; });
    });
    if (!orphans.empty()) kill_trees(orphans);
  }

  void end() {
    channel_.close();
    // Whoever is killed may leave orphans that become our children: until there is nobody left to wait for.
    // Where /proc cannot be read for a moment, there may be some that it does not show.
    constexpr timespec kPause{0, 10'000'000};
    for (bool some_left = true; some_left;) {
      const auto left = children_of(::getpid());
      kill_trees(left);
      for (const pid_t pid : left) ::waitpid(pid, nullptr, 0);
      some_left = ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
      if (left.empty() && some_left) ::nanosleep(&kPause, nullptr);
    }
    sandbox::remove_groups(place_for_groups_, group_name_of(::getpid()), 0);
    for (const auto& folder : folders_) util::remove_tree(folder);
    for (const auto& cache : caches_) compile::remove_cache_leftovers(cache);
  }

  Channel channel_;
  util::UniqueFd signals_;
  std::map<std::uint32_t, pid_t> pids_;
  std::filesystem::path place_for_groups_ = sandbox::place_for_groups();   // empty: nowhere
  bool can_enter_groups_ = true;                                           // until a child has failed to
  std::map<std::uint32_t, std::unique_ptr<sandbox::MemoryGroup>> groups_;  // of living children
  std::vector<std::unique_ptr<sandbox::MemoryGroup>> ended_groups_;        // to be removed
  std::vector<util::UniqueFd> held_;  // locks that must last until every descendant is gone
  std::vector<std::string> folders_;
  std::vector<std::string> caches_;
};

}  // namespace

std::string group_name_of(pid_t keeper) { return kGroupName + std::string("-") + std::to_string(keeper); }

int run_keeper(util::UniqueFd socket) { return Keeper(std::move(socket)).run(); }

}  // namespace fib::worker
