#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "bench/session.h"
#include "support/places.h"
#include "support/temporary.h"
#include "util/file_lock.h"
#include "worker/process_tree.h"

// With a real keeper.
using namespace fib;
using bench::NativeReference;
using bench::Session;

namespace {

// A device that nobody else has; only its lock is there.
bench::LaneDevice own_device() {
  bench::LaneDevice device;
  device.kind = model::DeviceKind::cuda;
  device.name = "none";
  device.uuid = "test-session-" + std::to_string(::getpid());
  return device;
}

// A session on the CPU, where judges need no device.
struct OnCpu {
  OnCpu() { session.begin(config()); }
  static bench::RunConfig config() {
    bench::RunConfig config;
    config.flush = worker::Flush::kNone;
    return config;
  }
  [[nodiscard]] std::size_t children() { return worker::children_of(session.spawner().keeper_pid()).size(); }
  [[nodiscard]] auto judge(worker::Flush flush) { return bench::judge_for(processes(flush)); }
  [[nodiscard]] bench::DeviceProcesses processes(worker::Flush flush) {
    return session.processes(session.environment().devices.front(), flush);
  }

  testing::TemporaryFolder folder;
  std::atomic<bool> interrupted = false;
  Session session{
      {{{model::DeviceKind::cpu, "cpu", {}, {}, {}}}, testing::fib_binary(), folder.path() / "cache"},
      interrupted};
};

struct Fixture {
  [[nodiscard]] bench::Environment environment() const {
    return {{own_device()}, testing::fib_binary(), folder.path() / "cache"};
  }
  // Whether somebody holds the device's lock.
  [[nodiscard]] static bool is_taken() {
    const auto file = std::filesystem::path("/tmp/fib-locks") / ("cuda-" + own_device().uuid + ".lock");
    return !util::FileLock::try_take(file, util::FileLock::Sharing::kMachine);
  }
  [[nodiscard]] static bool take(Session& session) {
    return session.take(
        own_device(), [](const std::string&) {}, [] { return false; });
  }
  ~Fixture() { std::filesystem::remove("/tmp/fib-locks/cuda-" + own_device().uuid + ".lock"); }

  testing::TemporaryFolder folder;
  std::atomic<bool> interrupted = false;
};

}  // namespace

TEST_CASE("a device is held from the time it is taken until the session gives it up, and again") {
  const Fixture f;
  Session session(f.environment(), f.interrupted);
  session.begin({});
  CHECK_FALSE(f.is_taken());
  CHECK(f.take(session));
  CHECK(f.is_taken());
  CHECK(f.take(session));  // which it has already
  session.give_up_devices();
  CHECK_FALSE(f.is_taken());
  session.begin({});
  CHECK(f.take(session));
  CHECK(f.is_taken());
}

TEST_CASE("with the session go its lock, its keeper and its folder") {
  const Fixture f;
  std::filesystem::path folder;
  {
    Session session(f.environment(), f.interrupted);
    session.begin({});
    CHECK(f.take(session));
    folder = session.temporary();
    CHECK(std::filesystem::is_directory(folder));
  }
  CHECK_FALSE(std::filesystem::exists(folder));
  CHECK_FALSE(f.is_taken());
}

TEST_CASE("a session whose keeper was killed makes another for the next run") {
  const Fixture f;
  Session session(f.environment(), f.interrupted);
  session.begin({});
  const pid_t keeper = session.spawner().keeper_pid();
  session.begin({});
  CHECK(session.spawner().keeper_pid() == keeper);
  ::kill(keeper, SIGKILL);
  while (!session.spawner().lost()) ::usleep(1000);
  session.begin({});
  CHECK(session.spawner().keeper_pid() != keeper);
  CHECK_FALSE(session.spawner().lost());
  CHECK(std::filesystem::is_directory(session.temporary()));
}

TEST_CASE("processes on a device are told which it is, and where what they may reach is") {
  const Fixture f;
  Session session(f.environment(), f.interrupted);
  session.begin({});
  const auto processes = session.processes(own_device(), worker::Flush::kNone);
  CHECK(processes.device.uuid == own_device().uuid);
  CHECK(processes.device.flush == worker::Flush::kNone);
  CHECK(processes.guests == nullptr);  // there is no Python
  CHECK_FALSE(processes.no_torch.empty());
  CHECK(processes.children.temporary == session.temporary());
  CHECK(processes.children.memory_limit > 0);
  CHECK(processes.children.files.gpu);
}

TEST_CASE("the judge that was made for the next run serves one run, with the same settings") {
  OnCpu f;
  const auto processes = [&] { return worker::children_of(f.session.spawner().keeper_pid()); };
  f.session.prepare_next(NativeReference::kUnlikely);
  CHECK(f.children() == 1);
  const auto waiting = processes();
  f.session.prepare_next(NativeReference::kUnlikely);  // none was taken meanwhile
  CHECK(processes() == waiting);
  const auto first = f.judge(worker::Flush::kNone);
  CHECK(f.children() == 1);
  CHECK_NOTHROW(first->describe());
  const auto second = f.judge(worker::Flush::kNone);
  CHECK(f.children() == 2);
  f.session.prepare_next(NativeReference::kUnlikely);
  const auto other = f.judge(worker::Flush::kClean);
  CHECK(f.children() == 3);  // without the one that was made
}

TEST_CASE("the next run gets workers for what the last one began with, and for the built-in engine") {
  OnCpu f;
  const auto processes = f.processes(worker::Flush::kNone);
  const auto make = [&] {
    return std::make_unique<worker::WorkerClient>(processes.spawner, processes.children, "a worker", 0);
  };
  const bench::WorkerKind kind{false, {"files"}, {}};
  f.session.prepare_next(NativeReference::kLikely);
  CHECK(f.children() == 2);  // no solution was run
  processes.next->solution.likely_again(kind, make);
  f.session.prepare_next(NativeReference::kLikely);
  CHECK(f.children() == 3);
  const auto again = f.processes(worker::Flush::kNone);  // as the next run asks for them
  CHECK(again.next->solution.take(kind));
  const auto reference = again.next->reference.take(bench::native_reference_kind(again));
  REQUIRE(reference);
  CHECK(reference->is_started());
  f.session.prepare_next(NativeReference::kLikely);  // without the solution's: that run began with none
  CHECK(f.children() == 3);  // the judge, the one that was taken, and another for references
}

TEST_CASE("before the devices are given up, the processes that were left to end have ended") {
  OnCpu f;
  f.session.leave_to_end(f.judge(worker::Flush::kNone));
  f.session.leave_to_end(f.judge(worker::Flush::kNone));
  CHECK(f.children() == 2);
  SECTION("by a run's end") { f.session.give_up_devices(); }
  SECTION("by the next lane") { f.session.await_ends(); }
  CHECK(f.children() == 0);
}

TEST_CASE("a session whose keeper was killed makes no process for the next run, and its own are gone") {
  OnCpu f;
  f.session.prepare_next(NativeReference::kLikely);
  f.session.leave_to_end(f.judge(worker::Flush::kClean));
  ::kill(f.session.spawner().keeper_pid(), SIGKILL);
  while (!f.session.spawner().lost()) ::usleep(1000);
  f.session.prepare_next(NativeReference::kLikely);
  f.session.begin(OnCpu::config());
  CHECK(f.children() == 0);
  const auto judge = f.judge(worker::Flush::kNone);
  CHECK_NOTHROW(judge->describe());
  CHECK(f.children() == 1);
}
