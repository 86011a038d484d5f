#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <thread>

#include "sandbox/memory_group.h"
#include "support/places.h"
#include "support/temporary.h"
#include "util/capture.h"
#include "util/file_lock.h"
#include "util/files.h"
#include "worker/channel.h"
#include "worker/keeper.h"
#include "worker/process_tree.h"
#include "worker/spawner.h"

using namespace fib;
using worker::ChildSpec;
using worker::Spawner;

namespace {

struct Started {
  std::uint32_t id = 0;
  std::unique_ptr<util::Capture> output;
};

Started start(Spawner& spawner, const std::string& script, std::uint64_t memory_limit = 0) {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const util::UniqueFd write_end(ends[1]);
  auto [ours, theirs] = worker::Channel::make_pair();
  Started started;
  started.output = std::make_unique<util::Capture>(util::UniqueFd(ends[0]), 10000);
  const ChildSpec spec{
      {"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin", "GREETING=hello"}, "/", 0, memory_limit};
  started.id = spawner.spawn(spec, theirs.fd(), write_end.get());
  return started;
}

bool gone_soon(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    if (::kill(pid, 0) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

pid_t printed_pid(Started& started) {
  std::string text;
  for (int i = 0; i < 200 && text.find('\n') == std::string::npos; ++i) {
    text += started.output->take();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::stoi(text);
}

// A grandchild in a session of its own whose parent is gone: what a plain kill would miss.
constexpr const char* kRunaway = "setsid sh -c 'echo $$; exec sleep 1000' & sleep 1000";

}  // namespace

TEST_CASE("a child runs with its own environment, folder and session, and its end is reported") {
  Spawner spawner(testing::fib_binary());
  auto child = start(spawner, "echo $GREETING; pwd; echo ${HOME-none}; exit 5");
  const auto status = spawner.wait(child.id, 5000);
  REQUIRE(status);
  CHECK(worker::describe_wait_status(*status) == "exit code 5");
  CHECK(child.output->take() == "hello\n/\nnone\n");
}

TEST_CASE("a thousand processes that a child leaves behind are killed together") {
  Spawner spawner(testing::fib_binary());
  auto child = start(
      spawner,
      "i=0; while [ $i -lt 1000 ]; do setsid sleep 1000 & pid=$!; [ $((i % 100)) -ne 99 ] || echo $pid; "
      "i=$((i + 1)); done; exit 0");
  const auto status = spawner.wait(child.id, 60'000);
  REQUIRE(status);
  CHECK(*status == 0);
  std::istringstream pids(child.output->take());
  int seen = 0;
  for (pid_t pid = 0; pids >> pid; ++seen) CHECK(gone_soon(pid));
  CHECK(seen == 10);
}

TEST_CASE("a child inherits no descriptor but its channel and its output") {
  Spawner spawner(testing::fib_binary());
  auto child = start(spawner, "ls /proc/self/fd | tr '\\n' ' '");
  REQUIRE(spawner.wait(child.id, 5000));
  CHECK(child.output->take() == "0 1 2 3 4 ");  // 4 is ls's own, on the folder
}

TEST_CASE("what a child's processes have together stays within its limit on memory") {
  constexpr std::uint64_t kLimit = std::uint64_t{96} << 20U;
  Spawner spawner(testing::fib_binary());
  // It keeps 60 MB for a second.
  const std::string keeps = "head -c 60000000 /dev/zero | tail -c 60000000 | (sleep 1; wc -c) & ";
  auto one = start(spawner, keeps + "wait", kLimit);
  REQUIRE(spawner.wait(one.id, 30'000) == 0);
  CHECK(one.output->take() == "60000000\n");
  CHECK_FALSE(spawner.memory_exhausted(one.id));
  if (!spawner.has_memory_group(one.id)) {
    WARN("skipped: this system delegates no control group with a limit on memory");
    return;
  }
  auto two = start(spawner, keeps + keeps + "wait", kLimit);
  const auto status = spawner.wait(two.id, 30'000);
  REQUIRE(status);
  CHECK(worker::describe_wait_status(*status) == "SIGKILL (Killed)");
  CHECK(spawner.memory_exhausted(two.id));
  CHECK_FALSE(spawner.killed_by_others(two.id));
  const auto groups_left = [&] {
    int left = 0;
    for (const auto& entry : util::entries_of(sandbox::place_for_groups()))
      left += entry.path().filename().string().rfind(worker::group_name_of(spawner.keeper_pid()), 0) == 0;
    return left;
  };
  for (int i = 0; i < 500 && groups_left() > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(groups_left() == 0);
}

TEST_CASE("killing a child kills what it started, in whatever session") {
  Spawner spawner(testing::fib_binary());
  auto child = start(spawner, kRunaway);
  const pid_t runaway = printed_pid(child);
  REQUIRE(::kill(runaway, 0) == 0);
  spawner.kill(child.id);
  const auto status = spawner.wait(child.id, 5000);
  REQUIRE(status);
  CHECK(worker::describe_wait_status(*status) == "SIGKILL (Killed)");
  CHECK(gone_soon(runaway));
}

TEST_CASE("an orphan does not outlive the child that made it") {
  Spawner spawner(testing::fib_binary());
  auto child =
      start(spawner, "setsid sh -c 'setsid sh -c \"echo \\$\\$; exec sleep 1000\" & exit' ; sleep 0.3");
  const pid_t orphan = printed_pid(child);
  REQUIRE(spawner.wait(child.id, 5000));
  CHECK(gone_soon(orphan));
}

TEST_CASE("a program that does not exist is an error that names it") {
  Spawner spawner(testing::fib_binary());
  auto [ours, theirs] = worker::Channel::make_pair();
  const ChildSpec spec{{"/no/such/program"}, {}, "/", 0};
  CHECK_THROWS_WITH((void)spawner.spawn(spec, theirs.fd(), 2), Catch::Contains("/no/such/program"));
}

TEST_CASE("when the keeper is killed, nothing of its tree is left, nor its folders, and that is said") {
  const testing::TemporaryFolder folder;
  const auto doomed = folder.path() / "run";
  std::filesystem::create_directory(doomed);
  Spawner spawner(testing::fib_binary());
  spawner.remove_at_end(doomed);
  auto child = start(spawner, kRunaway);
  auto plain = start(spawner, "echo $$; exec sleep 1000");
  const pid_t runaway = printed_pid(child);
  const pid_t pid = printed_pid(plain);
  CHECK_FALSE(spawner.lost());
  ::kill(spawner.keeper_pid(), SIGKILL);
  CHECK(gone_soon(runaway));
  CHECK(gone_soon(pid));
  CHECK(spawner.lost());
  CHECK_FALSE(spawner.wait(plain.id, 100));
  CHECK(spawner.loss() ==
        "the keeper process, the parent of all others, was lost: it ended with SIGKILL (Killed)");
  CHECK_THROWS_AS(start(spawner, "true"), worker::KeeperLost);
  for (int i = 0; i < 1000 && std::filesystem::exists(doomed); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(std::filesystem::exists(doomed));
}

TEST_CASE("a child that somebody else killed is told apart from one that was killed here") {
  Spawner spawner(testing::fib_binary());
  auto by_itself = start(spawner, "kill -9 $$");
  auto by_us = start(spawner, "echo $$; exec sleep 1000");
  auto not_killed = start(spawner, "exit 9");
  (void)printed_pid(by_us);
  spawner.kill(by_us.id);
  for (const auto* child : {&by_itself, &by_us, &not_killed}) REQUIRE(spawner.wait(child->id, 5000));
  CHECK(spawner.killed_by_others(by_itself.id));
  CHECK_FALSE(spawner.killed_by_others(by_us.id));
  CHECK_FALSE(spawner.killed_by_others(not_killed.id));
}

TEST_CASE("when the coordinator is killed, nothing of its tree is left, and the lock lasts until then") {
  const testing::TemporaryFolder folder;
  const auto lock_path = folder.path() / "device.lock";
  const auto doomed = folder.path() / "run";
  std::filesystem::create_directory(doomed);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t coordinator = ::fork();
  if (coordinator == 0) {
    Spawner spawner(testing::fib_binary());
    const auto lock = util::FileLock::try_take(lock_path, util::FileLock::Sharing::kMachine);
    spawner.hold(lock->fd());
    spawner.remove_at_end(doomed);
    auto child = start(spawner, kRunaway);
    const pid_t pids[2] = {printed_pid(child), spawner.keeper_pid()};
    if (::write(ends[1], pids, sizeof pids) != sizeof pids) ::_exit(1);
    ::pause();
  }
  pid_t pids[2] = {};
  REQUIRE(::read(ends[0], pids, sizeof pids) == sizeof pids);
  CHECK_FALSE(util::FileLock::try_take(lock_path, util::FileLock::Sharing::kMachine));
  ::kill(coordinator, SIGKILL);
  ::waitpid(coordinator, nullptr, 0);
  CHECK(gone_soon(pids[0]));
  CHECK(gone_soon(pids[1]));
  CHECK(util::FileLock::try_take(lock_path, util::FileLock::Sharing::kMachine));
  CHECK_FALSE(std::filesystem::exists(doomed));
}
