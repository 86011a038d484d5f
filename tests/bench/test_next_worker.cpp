#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "bench/next_worker.h"
#include "compile/python_interpreter.h"
#include "support/places.h"
#include "support/temporary.h"
#include "util/clock.h"
#include "worker/process_tree.h"

// Real interpreters, without torch: on the CPU, where only tests start a device ahead.
using namespace fib;
using bench::GuestPool;
using bench::NextWorker;
using bench::WorkerKind;

namespace {

constexpr auto kStarts = NextWorker::Device::kStarts;
constexpr auto kLater = NextWorker::Device::kLater;
const WorkerKind kGuest{.is_guest = true};

WorkerKind confined_for(const std::string& runtime) { return {.confine = {"", runtime}}; }
WorkerKind started_for(worker::TargetKind target) {
  WorkerKind kind;
  kind.confine.runs_kernels_alone = target == worker::TargetKind::kKernels;
  kind.start.kind = target;
  return kind;
}

// Interpreters need some time to be ready.
bool eventually(const std::function<bool()>& happens, int tries = 2000) {
  for (int i = 0; i < tries; ++i) {
    if (happens()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

struct Fixture {
  explicit Fixture(unsigned ahead) : pool(spawner, setup, guest()) { pool.expect(ahead, ahead); }

  static worker::GuestSetup guest() {
    worker::GuestSetup guest;
    const auto python = compile::find_python();
    if (python) guest.python = python->path;
    guest.packages = {};
    return guest;
  }
  std::unique_ptr<worker::WorkerClient> confined() {
    return bench::confined_worker(spawner, setup, {setup.files.to_json()}, bench::kNextWorker);
  }
  [[nodiscard]] std::size_t children() const { return worker::children_of(spawner.keeper_pid()).size(); }
  // On the CPU, as the next solution's.
  std::unique_ptr<worker::WorkerClient> begin_until_ready(NextWorker& next) {
    std::unique_ptr<worker::WorkerClient> guest;
    (void)eventually([&] {
      next.begin(kGuest, kStarts, [this] { return bench::started_guest(pool, {}); });
      return (guest = next.take(kGuest)) != nullptr;
    });
    return guest;
  }
  testing::TemporaryFolder folder;
  worker::Spawner spawner{testing::fib_binary()};
  worker::ChildSetup setup{testing::fib_binary(), folder.path()};
  GuestPool pool;
};

bool has_python() {
  if (compile::find_python()) return true;
  WARN("skipped: there is no Python");
  return false;
}

std::int64_t in_seconds(int seconds) { return util::monotonic_ns() + std::int64_t{seconds} * 1'000'000'000; }

}  // namespace

TEST_CASE("a guest is taken from the pool at once where one is ready, and only there") {
  if (!has_python()) return;
  Fixture f(1);
  CHECK(eventually([&] { return f.pool.take_ready() != nullptr; }));
  CHECK(f.pool.take_ready() == nullptr);
  CHECK(f.pool.take() != nullptr);  // which starts one
}

TEST_CASE("a pool prepares what is expected anew, counts what was taken, and passes over what has ended") {
  if (!has_python()) return;
  Fixture f(0);
  CHECK(f.pool.take() != nullptr);
  CHECK(f.pool.taken() == 1);
  CHECK(f.pool.taken() == 0);
  f.pool.expect(2, 2);
  const auto one = f.pool.take();  // waits for what is being prepared
  REQUIRE(one);
  std::unique_ptr<worker::WorkerClient> two;
  REQUIRE(eventually([&] { return (two = f.pool.take_ready()) != nullptr; }));
  CHECK(f.pool.taken() == 2);
  f.pool.expect(1, 1);
  f.pool.expect(1, 1);  // the same one
  REQUIRE(eventually([&] { return (two = f.pool.take_ready()) != nullptr; }));
  CHECK(f.pool.take_ready() == nullptr);
  f.pool.expect(1, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  f.spawner.kill_all();
  CHECK_FALSE(eventually(
      [&] {
        auto guest = f.pool.take_ready();
        return guest && !guest->alive();
      },
      100));
  CHECK(f.pool.take()->alive());
}

TEST_CASE("the next solution's guest has started its device when it is taken, and is taken once") {
  if (!has_python()) return;
  Fixture f(1);
  NextWorker next;
  CHECK_FALSE(next.starts_device());
  CHECK(next.take(kGuest) == nullptr);
  auto guest = f.begin_until_ready(next);
  REQUIRE(guest);
  CHECK(next.take(kGuest) == nullptr);
  CHECK_FALSE(next.starts_device());
  const auto again = guest->start(worker::Start{}, in_seconds(10));
  REQUIRE(std::holds_alternative<worker::Failure>(again));
  CHECK(std::get<worker::Failure>(again).text == "a worker starts once");
}

TEST_CASE("a guest that has died since its start is none") {
  if (!has_python()) return;
  Fixture f(1);
  NextWorker next;
  const auto guest = f.begin_until_ready(next);  // the pool's only one
  REQUIRE(guest);
  next.begin({}, kLater, [&] { return f.confined(); });
  next.wait();
  for (const pid_t pid : worker::children_of(f.spawner.keeper_pid())) ::kill(pid, SIGKILL);
  CHECK(next.take({}) == nullptr);
}

TEST_CASE("a guest whose device cannot be started is none") {
  if (!has_python()) return;
  Fixture f(1);
  worker::UseDevice missing;
  missing.uuid = "GPU-00000000-0000-0000-0000-000000000000";
  missing.kernels_path = (f.folder.path() / "none").string();
  NextWorker next;
  next.begin(kGuest, kStarts, [&] { return bench::started_guest(f.pool, missing); });
  CHECK(next.starts_device());
  CHECK(next.take(kGuest) == nullptr);
  CHECK_FALSE(next.starts_device());
}

TEST_CASE("the worker of the next compiled solution is confined when it is taken, for what it was made") {
  Fixture f(0);
  NextWorker next;
  next.begin(confined_for("one"), kLater, [&] { return f.confined(); });
  next.begin(confined_for("another"), kLater,
             [&]() -> std::unique_ptr<worker::WorkerClient> { throw Error("not asked"); });
  CHECK_FALSE(next.starts_device());
  CHECK(next.take(kGuest) == nullptr);
  CHECK(next.take(confined_for("another")) == nullptr);
  const auto worker = next.take(confined_for("one"));
  REQUIRE(worker);
  const auto again = worker->confine({f.setup.files.to_json()}, in_seconds(10));
  REQUIRE(std::holds_alternative<worker::Failure>(again));
  CHECK(std::get<worker::Failure>(again).text == "a worker is confined once");
  CHECK(std::holds_alternative<bool>(worker->start(worker::Start{}, in_seconds(10))));
  const auto late = worker->confine({f.setup.files.to_json()}, in_seconds(10));
  REQUIRE(std::holds_alternative<worker::Failure>(late));
  CHECK(std::get<worker::Failure>(late).text == "a worker is confined before it starts");
}

TEST_CASE("a worker whose device is started is taken for the target that it was started for") {
  Fixture f(0);
  NextWorker next;
  const WorkerKind kernels = started_for(worker::TargetKind::kKernels);
  const WorkerKind library = started_for(worker::TargetKind::kSharedLibrary);
  next.begin(kernels, kStarts, [&] {
    auto worker = f.confined();
    (void)worker->start(worker::Start{}, in_seconds(10));
    return worker;
  });
  CHECK(next.starts_device());
  CHECK(next.take(library) == nullptr);
  const auto worker = next.take(kernels);
  REQUIRE(worker);
  CHECK(worker->is_started());
  CHECK_FALSE(next.starts_device());
  CHECK(next.take(library) == nullptr);
  const WorkerKind tvm_ffi = started_for(worker::TargetKind::kTvmFfi);
  next.begin(tvm_ffi, kLater, [&] { return f.confined(); });
  CHECK_FALSE(next.starts_device());
  CHECK(next.take(kernels) == nullptr);  // those have one queue from the beginning
  const auto confined = next.take(library);
  REQUIRE(confined);
  CHECK_FALSE(confined->is_started());
}

TEST_CASE(
    "what the last run began with is made ready for the next one, and gives way to what that begins with") {
  Fixture f(0);
  NextWorker next;
  const auto make = [&] { return f.confined(); };
  next.begin_again();  // nothing is likely
  CHECK_FALSE(next.starts_device());
  const WorkerKind usual = confined_for("usual");
  const WorkerKind other = confined_for("other");
  next.likely_again(usual, make);
  next.likely_again(other, make);  // not what the run began with
  next.begin_again();
  CHECK(next.starts_device());
  next.end_unused();  // of that run, which is over
  next.wait();
  CHECK(f.children() == 1);
  SECTION("the same") {
    next.begin(usual, kStarts, [&]() -> std::unique_ptr<worker::WorkerClient> { throw Error("not asked"); });
    CHECK(next.take(usual));
  }
  SECTION("another, which is begun") {
    next.begin(other, kStarts, make);
    CHECK(next.take(usual) == nullptr);
    CHECK(next.take(other));
  }
  SECTION("another, which is not") {
    CHECK(next.take(other) == nullptr);
    CHECK(f.children() == 0);
    CHECK(next.take(usual) == nullptr);
  }
  SECTION("nothing, and so it stays for the one after") {
    next.begin_again();
    CHECK(next.take(usual));
    next.begin_again();
    CHECK_FALSE(next.starts_device());
  }
  SECTION("with one more, which nobody takes") {
    CHECK(next.take(usual));
    next.begin(usual, kLater, make);
    next.end_unused();
    CHECK(next.take(usual) == nullptr);
  }
}

TEST_CASE("a worker that is killed has ended when it is gone") {
  Fixture f(0);
  auto worker = f.confined();
  const auto children = worker::children_of(f.spawner.keeper_pid());
  REQUIRE(children.size() == 1);
  worker->kill();
  worker.reset();
  CHECK(worker::children_of(f.spawner.keeper_pid()).empty());
}

TEST_CASE("a solution's worker does not start before it is confined, and one that cannot be made is none") {
  Fixture f(0);
  worker::WorkerClient worker(f.spawner, f.setup, "the solution's worker", 1U << 20U);
  const auto started = worker.start(worker::Start{}, in_seconds(10));
  REQUIRE(std::holds_alternative<worker::Failure>(started));
  CHECK(std::get<worker::Failure>(started).text == "a worker is confined before it starts");
  NextWorker next;
  next.begin({}, kLater,
             [&]() -> std::unique_ptr<worker::WorkerClient> { throw Error("there are no processes"); });
  CHECK(next.take({}) == nullptr);
}
