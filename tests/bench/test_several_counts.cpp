#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "bench/counted_scene.h"
#include "bench/counted_work.h"

// What several counts of one evaluation's work come to.
using namespace fib;
using fakes::CountedScene;
using fakes::kCounted;
using fakes::kMs;
using model::Status;
using worker::Clock;

TEST_CASE("one count that finds nothing is not believed beside one that finds something") {
  // Whether each count finds nothing.
  const auto run = [](std::vector<bool> nothing, int counts) {
    CountedScene scene;
    scene.judge.busy_ns = [nothing](int count) {
      return kCounted * (nothing.at(static_cast<std::size_t>(count - 1)) ? 0.9 : 3) * kMs;
    };
    const auto m = scene.run();
    CHECK(scene.judge.counted == counts);
    return m.status;
  };
  CHECK(run({true}, 1) == Status::PASSED);
  CHECK(run({false, true, true}, 3) == Status::PASSED);
  CHECK(run({false, true, false, true, true}, 5) == Status::PASSED);
  CHECK(run({false, true, false, false}, 4) == Status::RUNTIME_ERROR);
  CHECK(run({false, false, true, true, false}, 5) == Status::RUNTIME_ERROR);
}

TEST_CASE("three counts that do not agree with the claims are a verdict where two have seen more work") {
  // 'w': work beyond the claim; 's': every call is slow; 'n': next to nothing is seen; ' ': what is claimed.
  const auto run = [](const std::string& counts) {
    CountedScene scene;
    const auto kind = [counts](int count) { return counts.at(static_cast<std::size_t>(count - 1)); };
    scene.judge.busy_ns = [kind](int count) {
      const char what = kind(count);
      return kCounted * (what == 'w' ? 3 : what == 'n' ? 0.001 : 0.9) * kMs;
    };
    scene.judge.engine_ns = [kind](int count) { return kCounted * (kind(count) == 'n' ? 0.001 : 0.9) * kMs; };
    // A quarter of the calls: their median is as it was.
    scene.worker.times = [&scene, kind](std::size_t number, Clock clock) {
      auto times = fakes::call_of(1);
      if (clock == Clock::kCounters && kind(scene.judge.counts_begun) == 's' && number % 4 == 0)
        times.envelope_ns += 20'000'000;
      return times;
    };
    const auto m = scene.run();
    CHECK(scene.judge.counted == static_cast<int>(counts.size()));
    return m.status;
  };
  CHECK(run("wws") == Status::RUNTIME_ERROR);
  CHECK(run("wwn") == Status::RUNTIME_ERROR);
  CHECK(run("w w w") == Status::RUNTIME_ERROR);
  CHECK(run("s  ") == Status::PASSED);
  CHECK(run("n") == Status::PASSED);  // what is missing stands in the trace
  CHECK_THROWS_WITH(run("ssw"), Catch::StartsWith("a tenth of the calls take"));
  CHECK_THROWS_WITH(run("wnn"), Catch::StartsWith("the device's counters have seen next to nothing"));
}

TEST_CASE("a count ends where its calls take far longer than they may, when enough are made") {
  CountedScene scene;
  scene.worker.times = [](std::size_t, Clock clock) {
    auto times = fakes::call_of(1);
    if (clock == Clock::kCounters) times.envelope_ns += 2'000'000'000;
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK(m.counted->calls == 5);                  // 10 s
  CHECK(scene.judge.compared_private == 3 * 5);  // of three counts
}
