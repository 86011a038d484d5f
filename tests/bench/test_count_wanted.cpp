#include <catch2/catch.hpp>

#include "bench/counted_scene.h"
#include "bench/counted_work.h"

// Which calls a GPU's own counters are to see, and how many.
using namespace fib;
using fakes::CountedScene;
using fakes::kCounted;
using fakes::kMs;
using fakes::Scene;
using model::Status;
using worker::Clock;

TEST_CASE("nothing is counted where that is not wanted, or has no use") {
  CountedScene not_wanted;
  not_wanted.counts_work = false;
  CHECK_FALSE(not_wanted.run().counted);
  CHECK(not_wanted.judge.counts_begun == 0);
  CountedScene launch_plan;  // nothing of it runs where the clock does
  launch_plan.use_launch_plan();
  CHECK_FALSE(launch_plan.run().counted);
  Scene cpu;
  cpu.counts_work = true;
  CHECK_FALSE(cpu.run().counted);
  CountedScene wrong;  // what has failed already
  wrong.judge.judgement = [](std::size_t) { return eval::Judgement{false, 1, 1, 0, "wrong"}; };
  CHECK_FALSE(wrong.run().counted);
}

TEST_CASE("of long calls as few are counted as a count has time for, and none of those that are longer") {
  const auto run = [](double ms) {
    CountedScene scene;
    scene.worker.times = [ms](std::size_t, Clock) { return fakes::call_of(ms); };
    return scene.run();
  };
  const auto few = run(130);
  CHECK(few.status == Status::PASSED);
  CHECK(few.counted->calls == 3);
  const auto none = run(200);
  CHECK(none.status == Status::PASSED);
  CHECK_THAT(none.counted->missing, Catch::Matchers::StartsWith("the calls are so long"));
}

TEST_CASE(
    "calls that a solution makes long, but for some, keep no count away and give counted calls no time") {
  CountedScene scene;
  const auto lengthen = [](std::size_t number, Clock clock, double ms) {
    auto times = fakes::call_of(1);
    const bool is_long = clock == Clock::kCounters || number % 10 < 6;
    if (is_long) times.envelope_ns += static_cast<std::int64_t>(ms * kMs);
    return times;
  };
  scene.worker.times = [&](std::size_t number, Clock clock) {
    return lengthen(number, clock, clock == Clock::kCounters ? 0 : 140);
  };
  const auto m = scene.evaluate();
  REQUIRE(m.count_wanted);
  CHECK(m.count_wanted->calls == kCounted);

  // Also where one call of each trial alone is as fast as it could be.
  CountedScene most;
  most.config.warmup_runs = 0;
  most.config.num_trials = 3;
  most.config.iterations = 4;
  most.worker.times = [](std::size_t number, Clock) {
    auto times = fakes::call_of(1);
    if (number % 4 != 0) times.envelope_ns += static_cast<std::int64_t>(800 * kMs);
    return times;
  };
  const auto few = most.evaluate();
  REQUIRE(few.count_wanted);
  CHECK(few.count_wanted->calls == kCounted);

  CountedScene slow;
  slow.worker.times = [&](std::size_t number, Clock clock) { return lengthen(number, clock, 20); };
  CHECK_THROWS_WITH(slow.run(),
                    Catch::Contains("by fib's own clock while the device's own counters are read"));
}

TEST_CASE("calls that wait for long without claiming it keep no count away") {
  const auto wanted = [](double waited_ms) {
    CountedScene scene;
    scene.worker.times = [waited_ms](std::size_t, Clock) {
      auto times = fakes::call_of(1);
      times.waited_ns = static_cast<std::int64_t>(waited_ms * kMs);
      times.envelope_ns += times.waited_ns;
      return times;
    };
    const auto m = scene.evaluate();
    REQUIRE(m.count_wanted);
    return m.count_wanted->calls;
  };
  CHECK(wanted(99) == kCounted);
  CHECK(wanted(199) == 24);
  CHECK(wanted(3000) == 3);
}

TEST_CASE("of large buffers as many are made as take 12 GiB or a quarter of the memory, if these are three") {
  const auto counted_of = [](std::int64_t n, std::uint64_t memory_bytes = 0) {
    CountedScene scene;
    scene.device.memory_bytes = memory_bytes;
    scene.definition =
        model::parse_definition(R"({"name": "d", "op_type": "x", "axes": {"n": {"type": "var"}},
        "inputs": {"x": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"y": {"shape": null, "dtype": "float32"}},
        "reference": "def run(x):\n    return x\n"})");
    scene.workload = model::parse_workload(
        fmt::format(R"({{"uuid": "w", "axes": {{"n": {}}}, "inputs": {{"x": {{"type": "random"}}}}}})", n));
    scene.judged.opened.layout = eval::make_layout(scene.definition, scene.workload);
    scene.worker.collected.outputs = {{tensor::DType::kFloat32, {}}};
    return *scene.run().counted;
  };
  constexpr std::int64_t kMi = 1 << 20;  // of 4 bytes
  CHECK(counted_of(1024).calls == kCounted);
  CHECK(counted_of(100 * kMi - 1000).calls == 10);
  CHECK(counted_of(300 * kMi).calls == 3);
  CHECK_THAT(counted_of(400 * kMi).missing, Catch::Contains("their buffers so large"));
  constexpr std::uint64_t kGi = std::uint64_t{1} << 30U;
  CHECK_THAT(counted_of(400 * kMi, 48 * kGi).missing, Catch::Contains("their buffers so large"));
  CHECK(counted_of(400 * kMi, 140 * kGi).calls == 7);
  CHECK(counted_of(300 * kMi, 140 * kGi).calls == 8);
  CHECK(counted_of(100 * kMi - 1000, 140 * kGi).calls == 10);
}

TEST_CASE("large outputs are counted in as many calls as 2 GiB of expected ones allow") {
  CountedScene scene;
  scene.definition = model::parse_definition(R"({"name": "d", "op_type": "x", "axes": {"n": {"type": "var"}},
      "inputs": {"x": {"shape": ["n"], "dtype": "int8"}}, "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
      "reference": "def run(x):\n    return x\n"})");
  scene.workload = model::parse_workload(
      R"({"uuid": "w", "axes": {"n": 52428800}, "inputs": {"x": {"type": "random"}}})");  // 200 MiB of
                                                                                          // outputs
  scene.judged.opened.layout = eval::make_layout(scene.definition, scene.workload);
  scene.worker.collected.outputs = {{tensor::DType::kFloat32, {52428800}}};
  scene.judge.busy_ns = [](int) { return 10 * 0.9 * kMs; };
  scene.config.memory_budget_bytes = std::uint64_t{8} << 30U;
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.counted->calls == 10);
}

TEST_CASE("a reference that is slow is called no longer for a count than for the calls themselves") {
  CountedScene scene;
  scene.reference.call_ms = 500;
  scene.config.call_budget_s = 10;
  scene.judge.busy_ns = [](int) { return 20 * 0.9 * kMs; };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.counted->calls == 20);
}

TEST_CASE("where no caches are flushed nothing is counted") {
  CountedScene scene(100);
  scene.config.flush = worker::Flush::kNone;
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.counted->missing == "calls are counted with caches flushed (--flush none)");
}
