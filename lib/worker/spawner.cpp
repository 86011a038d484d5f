#include "worker/spawner.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>

#include "compile/cache_leftovers.h"
#include "sandbox/memory_group.h"
#include "util/beneath.h"
#include "util/clock.h"
#include "util/errno_error.h"
#include "worker/keeper.h"
#include "worker/messages.h"
#include "worker/process_tree.h"

extern char** environ;

namespace fib::worker {
namespace {

constexpr int kAnswerLimitMs = 60'000;   // of a keeper that lives
constexpr int kCleanUpLimitMs = 30'000;  // a killed process may hang in the kernel for ever

// Starts "<program> __keeper" with the socket as descriptor 3 in a session of its own, so that a Ctrl-C at
// the terminal reaches the coordinator alone.
pid_t start_keeper(const std::string& program, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, socket, 3);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 4);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string name = program;
  std::string command = "__keeper";
  std::array<char*, 3> arguments{name.data(), command.data(), nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, name.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) throw Error("cannot start the keeper process {}: {}", program, std::strerror(error));
  return pid;
}

int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

void kill_pidfd(int pidfd) { ::syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0); }

// Children that the kernel handed to this process when their parent was gone.
std::vector<pid_t> adopted_children() {
  std::vector<pid_t> children = children_of(::getpid());
  const pid_t own = ::getsid(0);
  std::erase_if(children, [own](pid_t pid) { return ::getsid(pid) == own; });
  return children;
}

// Of this process and, by inheritance, of the keeper and the judge (sandbox::limit_descriptors says why).
void use_hard_limit_of_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Spawner::Spawner(const std::string& fib_program, util::Timeline* timeline) : timeline_(timeline) {
  use_hard_limit_of_descriptors();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  auto [ours, theirs] = Channel::make_pair();
  keeper_pid_ = start_keeper(fib_program, theirs.fd());
  keeper_pidfd_.reset(open_pidfd(keeper_pid_));
  if (!keeper_pidfd_.valid()) throw util::errno_error("cannot open a pidfd of the keeper process");
  channel_ = std::make_unique<Channel>(std::move(ours));
  reader_ = std::thread([this] { read_answers(); });
}

Spawner::~Spawner() {
  // No more requests: the keeper reads the end of the stream, kills its tree and exits, which ends our
  // reader.
  closing_ = true;
  ::shutdown(channel_->fd(), SHUT_WR);
  pollfd ended{keeper_pidfd_.get(), POLLIN, 0};
  if (::poll(&ended, 1, kAnswerLimitMs) == 0) kill_keeper("it did not end");
  reader_.join();
  ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

void Spawner::send(MessageType type, const std::string& payload, const std::vector<int>& fds) {
  bool sent = false;
  {
    const std::lock_guard lock(send_mutex_);
    sent = channel_->send(type, 0, payload, fds);
  }
  if (sent) return;
  if (!lost()) kill_keeper("it does not read its messages");
  throw KeeperLost("{}", loss());
}

std::uint32_t Spawner::reserve_id() {
  const std::lock_guard lock(mutex_);
  children_[next_id_];
  return next_id_++;
}

std::uint32_t Spawner::spawn(const ChildSpec& spec, int channel, int output) {
  const std::uint32_t id = reserve_id();
  const Spawn request{
      id, spec.arguments, spec.environment, spec.folder.string(), spec.file_size_limit, spec.memory_limit};
  send(MessageType::kSpawn, request.encode(), {channel, output});
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(kAnswerLimitMs),
                    [&] { return children_[id].spawned || keeper_gone_; });
  if (!children_[id].spawned) {
    lock.unlock();
    if (!lost()) kill_keeper(fmt::format("it did not answer within {} s", kAnswerLimitMs / 1000));
    throw KeeperLost("{}", loss());
  }
  if (!children_[id].spawned->error.empty()) throw Error("{}", children_[id].spawned->error);
  return id;
}

void Spawner::kill(std::uint32_t id) {
  {
    const std::lock_guard lock(mutex_);
    children_[id].killed = true;
  }
  const std::lock_guard lock(send_mutex_);
  (void)channel_->send(MessageType::kKill, 0, WireWriter().number(id).payload());
}

void Spawner::kill_all() {
  std::vector<std::uint32_t> living;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, child] : children_) {
      if (child.spawned && !child.wait_status) living.push_back(id);
    }
  }
  for (const auto id : living) kill(id);
}

std::optional<int> Spawner::wait(std::uint32_t id, int milliseconds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(milliseconds),
                    [&] { return children_[id].wait_status || keeper_gone_; });
  return children_[id].wait_status;
}

std::optional<pid_t> Spawner::pid_of(std::uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto& child = children_[id];
  if (!child.spawned || child.wait_status) return std::nullopt;
  return child.spawned->pid;
}

void Spawner::hold(int fd) { send(MessageType::kHold, {}, {fd}); }

void Spawner::remove_at_end(const std::filesystem::path& folder) {
  {
    const std::lock_guard lock(mutex_);
    folders_.push_back(folder);
  }
  send(MessageType::kRemoveAtEnd, WireWriter().text(folder.string()).payload(), {});
}

void Spawner::sweep_at_end(const std::filesystem::path& cache) {
  {
    const std::lock_guard lock(mutex_);
    caches_.push_back(cache);
  }
  send(MessageType::kSweepAtEnd, WireWriter().text(cache.string()).payload(), {});
}

bool Spawner::killed_by_others(std::uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto& child = children_[id];
  return !child.killed && !child.memory_exhausted && child.wait_status && WIFSIGNALED(*child.wait_status) &&
         WTERMSIG(*child.wait_status) == SIGKILL;
}

bool Spawner::has_memory_group(std::uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto& child = children_[id];
  return child.spawned && child.spawned->memory_group;
}

bool Spawner::memory_exhausted(std::uint32_t id) {
  const std::lock_guard lock(mutex_);
  return children_[id].memory_exhausted;
}

// A process that ends closes its sockets before the kernel signals its children.
bool Spawner::lost() const {
  pollfd state{channel_->fd(), 0, 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)) != 0;
}

std::string Spawner::loss() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(kCleanUpLimitMs), [&] { return keeper_gone_; });
  return "the keeper process, the parent of all others, was lost: " + loss_;
}

void Spawner::kill_keeper(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (loss_.empty()) loss_ = why;
  }
  kill_pidfd(keeper_pidfd_.get());
}

void Spawner::read_answers() {
  try {
    Message message;
    while (channel_->receive(message, -1) == Channel::Result::kMessage) take_answer(message);
  } catch (const Error& error) {  // no descriptor is free for a pidfd, say
    kill_keeper(fmt::format("its messages cannot be received: {}", error.what()));
  }
  await_keeper();
}

void Spawner::take_answer(Message& message) {
  const std::lock_guard lock(mutex_);
  if (message.type == MessageType::kSpawned) {
    auto spawned = Spawned::decode(message.payload);
    auto& child = children_[spawned.id];
    if (!message.fds.empty()) child.pidfd = std::move(message.fds.front());
    child.spawned = std::move(spawned);
  } else if (message.type == MessageType::kExited) {
    const auto exited = Exited::decode(message.payload);
    children_[exited.id].wait_status = exited.wait_status;
    children_[exited.id].memory_exhausted = exited.memory_exhausted;
    children_[exited.id].pidfd.reset();
  }
  changed_.notify_all();
}

// The keeper has closed its end. It ends when it has cleaned up; a killed one has not, and its children are
// ours by then.
void Spawner::await_keeper() {
  int status = 0;
  while (::waitpid(keeper_pid_, &status, 0) < 0 && errno == EINTR) {
  }
  const bool cleaned_up = closing_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  {
    const std::lock_guard lock(mutex_);
    if (loss_.empty()) loss_ = "it ended with " + describe_wait_status(status);
    keeper_gone_ = true;
  }
  changed_.notify_all();
  if (!cleaned_up) clean_up();
}

// What the keeper would have done.
void Spawner::clean_up() {
  std::vector<std::filesystem::path> folders;
  std::vector<std::filesystem::path> caches;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, child] : children_) {
      if (child.pidfd.valid()) kill_pidfd(child.pidfd.get());
    }
    folders = folders_;
    caches = caches_;
  }
  // Whoever is killed may leave orphans that become our children.
  const std::int64_t end = util::monotonic_ns() + std::int64_t{kCleanUpLimitMs} * 1'000'000;
  for (auto left = adopted_children(); !left.empty() && util::monotonic_ns() < end;
       left = adopted_children()) {
    kill_trees(left);
    for (const pid_t pid : left) ::waitpid(pid, nullptr, WNOHANG);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  sandbox::remove_groups(sandbox::place_for_groups(), group_name_of(keeper_pid_), 0);
  for (const auto& folder : folders) util::remove_tree(folder);
  for (const auto& cache : caches) compile::remove_cache_leftovers(cache);
}

std::string describe_wait_status(int wait_status) {
  if (WIFEXITED(wait_status)) return fmt::format("exit code {}", WEXITSTATUS(wait_status));
  if (!WIFSIGNALED(wait_status)) return fmt::format("wait status {}", wait_status);
  const int signal = WTERMSIG(wait_status);
  const char* name = ::sigabbrev_np(signal);
  const char* text = ::sigdescr_np(signal);
  return fmt::format("SIG{} ({})", name != nullptr ? name : std::to_string(signal),
                     text != nullptr ? text : "?");
}

}  // namespace fib::worker
