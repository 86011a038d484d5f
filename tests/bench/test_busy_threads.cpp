#include <algorithm>
#include <catch2/catch.hpp>

#include "bench/counted_scene.h"

// Whether the host computes, by other threads, while a GPU's counters are read.
using namespace fib;
using fakes::CountedScene;
using fakes::kMs;
using model::Status;
using worker::Clock;

TEST_CASE("threads that compute in counted calls are found by what they use of the CPUs") {
  // `in_some_ms`: in every seventh of the counted calls.
  const auto run = [](double before_ms, double counted_ms, double in_some_ms = 0) {
    CountedScene scene;
    scene.worker.times = [=](std::size_t call, Clock clock) {
      auto times = fakes::call_of(1);
      const double some_ms = call % 7 == 0 ? std::max(in_some_ms, counted_ms) : counted_ms;
      times.others_cpu_ns =
          static_cast<std::int64_t>((clock == Clock::kCounters ? some_ms : before_ms) * kMs);
      return times;
    };
    return scene.run();
  };
  CHECK(run(0, 0.05).status == Status::PASSED);
  // No verdict, not a failure: on a busy machine work takes longer.
  CHECK_THROWS_WITH(
      run(0, 0.2),
      Catch::StartsWith("threads of the solution use the CPUs for 0.2000 ms in the median call, and for "
                        "0.2000 ms or more in a tenth of them, while the device's own counters are read, and "
                        "for 0.0000 ms in the median call before"));
  CHECK(run(0.5, 0.8).status == Status::PASSED);  // about as much as they always do
  // Nor is there one where it is so in some calls alone, or always.
  CHECK_THROWS_WITH(run(0, 0.05, 0.3),
                    Catch::StartsWith("threads of the solution use the CPUs for 0.0500 ms in the median "
                                      "call, and for 0.3000 ms or more in a tenth of them"));
  CHECK_THROWS_WITH(run(3, 3), Catch::StartsWith("threads of the solution use the CPUs for 3.0000 ms"));
}

TEST_CASE("busy threads leave no verdict either where the mean of the claims covers what was seen") {
  CountedScene scene(1.8);  // of calls that claim 1 and 3 ms in turn
  scene.worker.times = [](std::size_t call, Clock) {
    auto times = fakes::call_of(call % 2 == 0 ? 1 : 3);
    times.others_cpu_ns = static_cast<std::int64_t>(9 * kMs);
    return times;
  };
  CHECK_THROWS_WITH(scene.run(), Catch::StartsWith("threads of the solution use the CPUs for 9.0000 ms"));
}
