#include "worker/spawner.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>

#include "util/errno_error.h"

extern char** environ;

namespace fib::worker {
namespace {

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

}  // namespace

Spawner::Spawner(const std::string& fib_program) {
  auto [ours, theirs] = Channel::make_pair();
  keeper_pid_ = start_keeper(fib_program, theirs.fd());
  channel_ = std::make_unique<Channel>(std::move(ours));
  reader_ = std::thread([this] { read_answers(); });
}

Spawner::~Spawner() {
  // No more requests: the keeper reads the end of the stream, kills its tree and exits, which ends our
  // reader.
  ::shutdown(channel_->fd(), SHUT_WR);
  reader_.join();
  ::waitpid(keeper_pid_, nullptr, 0);
}

void Spawner::send(MessageType type, const std::string& payload, const std::vector<int>& fds) {
  const std::lock_guard lock(send_mutex_);
  if (!channel_->send(type, 0, payload, fds)) throw Error("the keeper process has ended unexpectedly");
}

std::uint32_t Spawner::reserve_id() {
  const std::lock_guard lock(mutex_);
  children_[next_id_];
  return next_id_++;
}

std::uint32_t Spawner::spawn(const ChildSpec& spec, int channel, int output) {
  const std::uint32_t id = reserve_id();
  const Spawn request{id, spec.arguments, spec.environment, spec.folder.string(), spec.file_size_limit};
  send(MessageType::kSpawn, request.encode(), {channel, output});
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return children_[id].spawned || keeper_gone_; });
  if (!children_[id].spawned) throw Error("the keeper process has ended unexpectedly");
  if (!children_[id].spawned->error.empty()) throw Error("{}", children_[id].spawned->error);
  return id;
}

void Spawner::kill(std::uint32_t id) {
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
  send(MessageType::kRemoveAtEnd, WireWriter().text(folder.string()).payload(), {});
}

void Spawner::read_answers() {
  Message message;
  while (channel_->receive(message, -1) == Channel::Result::kMessage) {
    const std::lock_guard lock(mutex_);
    if (message.type == MessageType::kSpawned) {
      auto spawned = Spawned::decode(message.payload);
      children_[spawned.id].spawned = std::move(spawned);
    } else if (message.type == MessageType::kExited) {
      const auto exited = Exited::decode(message.payload);
      children_[exited.id].wait_status = exited.wait_status;
    }
    changed_.notify_all();
  }
  const std::lock_guard lock(mutex_);
  keeper_gone_ = true;
  changed_.notify_all();
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
