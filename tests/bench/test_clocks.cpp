#include <catch2/catch.hpp>
#include <tuple>

#include "bench/fakes.h"

// Which clocks time the calls of an evaluation on a CUDA device, and which look at them.
using namespace fib;
using bench::ClockChoice;
using fakes::Scene;
using model::Status;
using worker::Clock;

namespace {

constexpr std::ptrdiff_t kCalls = 14;  // of a scene: two trials of two warm-up calls and five timed ones
constexpr std::ptrdiff_t kLooks = 6;

// A scene on CUDA: of host code, or of a launch plan.
struct CudaScene : Scene {
  explicit CudaScene(bool has_host_code = true, std::int64_t n = 64) : Scene(n) {
    has_host_code ? use_cuda() : use_launch_plan();
  }
};

worker::CallTimes uncovered(double ms) {
  auto times = fakes::call_of(ms);
  times.done.covered = false;
  return times;
}

}  // namespace

TEST_CASE("on the CPU there is the host's clock, and no second one") {
  Scene scene;
  const auto m = scene.run();
  CHECK(m.clock == Clock::kHost);
  CHECK(scene.calls_by(Clock::kHost) == kCalls);
  CHECK(std::ssize(scene.worker.clocks) == kCalls);
  CHECK(m.witness_ms.empty());
}

TEST_CASE(
    "host code is timed by event segments, looked at by kernel records, and probed once for its streams") {
  CudaScene scene;
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.clock == Clock::kEventSegments);
  CHECK(scene.calls_by(Clock::kEventSegments) == kCalls);
  CHECK(scene.calls_by(Clock::kCuptiConcurrent) == 1);
  CHECK(scene.calls_by(Clock::kCuptiKernel) == kLooks);
  CHECK(m.witness_clock == Clock::kCuptiKernel);
  CHECK(m.witness_ms == std::vector<double>(kLooks, 1));
  CHECK(m.kernels == 1);
  CHECK(m.streams == 1);
  CHECK(m.sets == kCalls + kLooks + 1);
  CHECK(m.reference_on_cuda);
}

TEST_CASE("a launch plan is timed by events") {
  CudaScene scene(false);
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.clock == Clock::kEvents);
  CHECK(scene.calls_by(Clock::kEvents) == kCalls);
  CHECK(scene.calls_by(Clock::kCuptiKernel) == kLooks);
}

TEST_CASE("small tensors of a launch plan are shared in host memory, those of host code never") {
  for (const auto& [has_host_code, n, on_device] :
       {std::tuple(false, 64, false), std::tuple(false, 1 << 20, true), std::tuple(true, 64, true)}) {
    CudaScene scene(has_host_code, n);
    CHECK(scene.run().status == Status::PASSED);
    CHECK(scene.worker.opened_on_device == on_device);
    CHECK(scene.worker.opened->is_solutions);
    CHECK(scene.reference.opened_on_device == (n != 64));
  }
}

TEST_CASE("calls that use several streams are looked at by concurrent records") {
  CudaScene scene;
  scene.worker.times = [](std::size_t, Clock) {
    auto times = fakes::call_of(1);
    times.done.streams = 2;
    return times;
  };
  const auto m = scene.run();
  CHECK(m.witness_clock == Clock::kCuptiConcurrent);
  CHECK(scene.calls_by(Clock::kCuptiConcurrent) == kLooks + 1);
  CHECK(m.streams == 2);
}

TEST_CASE("a probe whose records are lost is made again, three times at most") {
  CudaScene scene;
  scene.worker.times = [](std::size_t call, Clock clock) {
    auto times = fakes::call_of(1);
    times.done.dropped = clock == Clock::kCuptiConcurrent && call < 4;
    times.done.streams = times.done.dropped ? 0 : 3;
    return times;
  };
  auto m = scene.run();
  CHECK(m.streams == 3);
  CHECK(scene.calls_by(Clock::kCuptiConcurrent) == 3 + kLooks);

  CudaScene never;
  never.worker.times = [](std::size_t, Clock clock) {
    auto times = fakes::call_of(1);
    times.done.dropped = clock == Clock::kCuptiConcurrent;
    return times;
  };
  m = never.run();
  CHECK(m.status == Status::PASSED);
  CHECK(never.calls_by(Clock::kCuptiConcurrent) == 4);
}

TEST_CASE("the clock that was asked for times all calls, and the other kind looks") {
  for (const auto& [choice, clock, look] :
       {std::tuple(ClockChoice::kEvents, Clock::kEvents, Clock::kCuptiKernel),
        std::tuple(ClockChoice::kEventSegments, Clock::kEventSegments, Clock::kCuptiKernel),
        std::tuple(ClockChoice::kCuptiKernel, Clock::kCuptiKernel, Clock::kEventSegments),
        std::tuple(ClockChoice::kCuptiConcurrent, Clock::kCuptiConcurrent, Clock::kEventSegments)}) {
    CudaScene scene;
    scene.config.clock = choice;
    const auto m = scene.run();
    CHECK(m.status == Status::PASSED);
    CHECK(m.clock == clock);
    CHECK(scene.calls_by(clock) == kCalls);
    CHECK(m.witness_clock == look);
    CHECK(scene.calls_by(look) == kLooks);
  }
}

TEST_CASE("without a second clock there are events alone, and none by records") {
  CudaScene scene;
  scene.facts.no_tracer = "CUPTI was not found";
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.clock == Clock::kEvents);
  CHECK(scene.calls_by(Clock::kEvents) == kCalls);
  CHECK(m.no_witness == "CUPTI was not found");
  CHECK(m.witness_ms.empty());
  for (const auto choice :
       {ClockChoice::kEventSegments, ClockChoice::kCuptiKernel, ClockChoice::kCuptiConcurrent}) {
    CudaScene asked;
    asked.facts.no_tracer = "CUPTI was not found";
    asked.config.clock = choice;
    CHECK_THROWS_WITH(asked.run(), "--clock " + name_of(choice) + ": CUPTI was not found");
    CHECK(asked.judge.doors_open == 0);
  }
}

TEST_CASE("without a second clock, calls that wait inside are timed without the spin in front") {
  CudaScene scene;
  scene.facts.no_tracer = "CUPTI was not found";
  scene.worker.times = [](std::size_t, Clock) { return uncovered(1); };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.clock == Clock::kOpenEvents);
  // The first and one more by events: they stay as warm-up calls.
  CHECK(scene.calls_by(Clock::kEvents) == 2);
  CHECK(scene.calls_by(Clock::kOpenEvents) == kCalls - 2);

  SECTION("where there are no warm-up calls they do not count at all") {
    CudaScene cold;
    cold.facts.no_tracer = "CUPTI was not found";
    cold.config.warmup_runs = 0;
    cold.worker.times = scene.worker.times;
    CHECK(cold.run().clock == Clock::kOpenEvents);
    CHECK(cold.calls_by(Clock::kOpenEvents) == 10);
  }
  SECTION("a first call that waits for its code to be loaded decides nothing") {
    CudaScene first;
    first.facts.no_tracer = "CUPTI was not found";
    first.worker.times = [](std::size_t call, Clock) { return call == 1 ? uncovered(1) : fakes::call_of(1); };
    CHECK(first.run().clock == Clock::kEvents);
    CHECK(first.calls_by(Clock::kEvents) == kCalls);
  }
  SECTION("--clock events means events") {
    CudaScene asked;
    asked.facts.no_tracer = "CUPTI was not found";
    asked.config.clock = ClockChoice::kEvents;
    asked.worker.times = scene.worker.times;
    CHECK(asked.run().clock == Clock::kEvents);
  }
}

TEST_CASE("calls whose records are lost, and calls on a slow multiprocessor, are made again") {
  CudaScene scene;
  scene.config.clock = ClockChoice::kCuptiKernel;
  std::size_t counted = 0;
  scene.worker.times = [&](std::size_t, Clock clock) {
    auto times = fakes::call_of(1);
    if (clock != Clock::kCuptiKernel) return times;
    ++counted;
    times.done.dropped = counted == 3 || counted == 5;
    if (counted == 7) times.done.clock_mhz = 1400;  // of 2000
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.dropped_calls == 2);
  CHECK(m.slow_calls == 1);
  CHECK(scene.calls_by(Clock::kCuptiKernel) == kCalls + 3);
  CHECK(m.trials_ms == std::vector<std::vector<double>>(2, std::vector<double>(5, 1)));
}

TEST_CASE("a device that stays slow is measured as it is") {
  CudaScene scene;
  scene.worker.times = [](std::size_t, Clock) {
    auto times = fakes::call_of(1);
    times.done.clock_mhz = 1000;
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.slow_calls == kCalls);
  CHECK(scene.calls_by(Clock::kEventSegments) == 2 * kCalls);
}

TEST_CASE("a worker that says that records are missing where there are none has failed") {
  CudaScene scene;
  scene.worker.times = [](std::size_t, Clock clock) {
    auto times = fakes::call_of(1);
    times.done.dropped = clock == Clock::kEventSegments;
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK_THAT(m.note, Catch::Contains("records are missing, which its clock has none of"));
}

TEST_CASE("calls whose records are always lost must have possible times, too") {
  CudaScene scene;
  scene.config.clock = ClockChoice::kCuptiKernel;
  scene.worker.times = [](std::size_t, Clock clock) {
    auto times = fakes::call_of(1);
    times.done.dropped = clock == Clock::kCuptiKernel;
    if (times.done.dropped) times.done.elapsed_ns = 0;
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK_THAT(m.note, Catch::Contains("the worker claims 0 ns for the call"));
  CHECK(m.dropped_calls == kCalls);
}

TEST_CASE("clocks that contradict each other are an error") {
  CudaScene scene;
  scene.worker.times = [](std::size_t, Clock clock) {
    return fakes::call_of(clock == Clock::kCuptiKernel ? 2 : 1);
  };
  const auto m = scene.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK(m.note == "the clocks disagree: 1.0000 ms a call by event-segments, 2.0000 ms by cupti-kernel\n");
  CHECK(m.trials_ms.size() == 2);
}

TEST_CASE("looks whose records are lost tell nothing") {
  CudaScene scene;
  scene.worker.times = [](std::size_t, Clock clock) {
    auto times = fakes::call_of(1);
    times.done.dropped = clock == Clock::kCuptiKernel;
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.witness_ms.empty());
  CHECK(scene.calls_by(Clock::kCuptiKernel) == kLooks);
}

TEST_CASE("when all calls are made again they are looked at elsewhere") {
  CudaScene scene;
  scene.config.num_trials = 1;
  scene.config.iterations = 60;
  scene.config.call_budget_s = 1000;
  scene.worker.times = [](std::size_t call, Clock) {
    auto times = fakes::call_of(1);
    if (call <= 66) times.envelope_ns += 9 * fakes::kMs;  // the first round: probe and three looks
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.witness_ms.size() == 3);
  std::vector<std::ptrdiff_t> looks;
  for (auto look = scene.worker.clocks.begin();; ++look) {
    look = std::find(look, scene.worker.clocks.end(), Clock::kCuptiKernel);
    if (look == scene.worker.clocks.end()) break;
    looks.push_back(look - scene.worker.clocks.begin());
  }
  REQUIRE(looks.size() == 6);
  // The probe is made once, after two calls.
  CHECK(std::vector<std::ptrdiff_t>(looks.begin(), looks.begin() + 3) !=
        std::vector<std::ptrdiff_t>{looks[3] - 65, looks[4] - 65, looks[5] - 65});
}

TEST_CASE("an evaluation that is too slow for many calls is not looked at") {
  CudaScene scene;
  scene.config.call_budget_s = 2;
  scene.reference.call_ms = 400;
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.plan.too_dear);
  CHECK(m.witness_ms.empty());
  CHECK(scene.calls_by(Clock::kCuptiKernel) == 0);
}
