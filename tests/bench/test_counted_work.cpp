#include <catch2/catch.hpp>

#include "bench/counted_work.h"
#include "bench/fakes.h"

// Whether what a GPU's own counters saw is what the calls claim.
using namespace fib;
using bench::CountedEvaluations;
using bench::CountedWork;
using fakes::kMs;
using fakes::Scene;
using model::Status;
using worker::Clock;

namespace {

constexpr double kClaimMs = 1;  // of a scene's calls
constexpr int kCounted = 24;    // calls
constexpr int kMostCounts = 3;

// Host code on CUDA whose device's work is counted: fib's own is 0.2 ms a call, the solution's 0.9 ms.
struct CountedScene : Scene {
  explicit CountedScene(double solution_ms = 0.9) {
    use_cuda();
    is_counted = true;
    judge.own_ns = 0.2 * kMs;
    judge.busy_ns = [solution_ms](int) { return kCounted * (0.2 + solution_ms) * kMs; };
  }
};

CountedWork counted(double busy_ms, double own_ms, double claimed_ms) {
  CountedWork work;
  work.calls = kCounted;
  work.busy_ms = busy_ms;
  work.own_ms = own_ms;
  work.claimed_ms = claimed_ms;
  work.wall_ms = 0.1;
  return work;
}

}  // namespace

TEST_CASE("calls that claim what the device was at work for pass, and the trace says what was seen") {
  CountedScene scene;
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  REQUIRE(m.counted);
  CHECK(m.counted->calls == kCounted);
  CHECK(m.counted->claimed_ms == Approx(kClaimMs));
  CHECK(m.counted->busy_ms == Approx(1.1));
  CHECK(m.counted->own_ms == Approx(0.2));
  CHECK(scene.judge.counted == 1);
  CHECK(scene.judge.counted_own == 1);
  CHECK(scene.judge.counts_begun == 0);  // one began with the end of the count of fib's own work
  // All of them were judged, where the call leaves its outputs; the worker was asked for no time.
  CHECK(m.sets == scene.judge.compared.size());
  CHECK(scene.calls_by(Clock::kCounters) == kCounted);
  CHECK(scene.worker.clocks.back() == Clock::kCounters);
}

TEST_CASE("what a counted call leaves is judged, and what it says of its time is not asked for") {
  CountedScene wrong;
  wrong.judge.judgement = [&wrong](std::size_t) {
    const bool is_right = wrong.judge.counted_own == 0;
    return eval::Judgement{is_right, 0, 0, 1, is_right ? "" : "wrong"};
  };
  CHECK(wrong.run().status == Status::INCORRECT_NUMERICAL);

  CountedScene scene;
  scene.worker.times = [](std::size_t, Clock clock) {
    auto times = fakes::call_of(1);
    if (clock == Clock::kCounters) times.done = {};  // a time that would be impossible
    return times;
  };
  CHECK(scene.run().status == Status::PASSED);
}

TEST_CASE("a device that was at work for longer than calls claim fails them, where it does so three times") {
  CountedScene scene(3);
  const auto m = scene.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK_THAT(m.note, Catch::Matchers::StartsWith(
                         "the device's own counters saw its multiprocessors at work for 3.0000 ms a call "
                         "beside fib's own work, and the calls claim 1.0000 ms"));
  REQUIRE(m.failure);
  CHECK(m.failure->code == model::ErrorCode::clocks_disagree);
  CHECK(scene.judge.counted == kMostCounts);
  CHECK(scene.judge.counted_quiet == kMostCounts);
  CHECK(scene.judge.counted_own == kMostCounts);

  CountedScene disturbed;  // once, by somebody else
  disturbed.judge.busy_ns = [](int count) { return kCounted * (count == 1 ? 5 : 1.1) * kMs; };
  CHECK(disturbed.run().status == Status::PASSED);
  CHECK(disturbed.judge.counted == 2);
}

TEST_CASE("calls that take much longer by fib's own clock while they are counted fail") {
  // As where the host computes what the device does in other calls, whenever it does that.
  const auto run = [](std::int64_t worker::CallTimes::Beside::*part, double counted_ms) {
    CountedScene scene;
    scene.worker.beside = [part, counted_ms](Clock clock) {
      worker::CallTimes::Beside beside;
      if (clock == Clock::kCounters) beside.*part = static_cast<std::int64_t>(counted_ms * kMs);
      return beside;
    };
    return scene.run();
  };
  using Beside = worker::CallTimes::Beside;
  for (const auto part : {&Beside::prepare_ns, &Beside::collect_ns}) {
    CHECK(run(part, 2.2).status == Status::PASSED);
    const auto m = run(part, 2.3);
    CHECK(m.status == Status::RUNTIME_ERROR);
    CHECK_THAT(m.note,
               Catch::Matchers::StartsWith("calls take 3.3100 ms by fib's own clock while the device's "
                                           "own counters are read, and 1.0100 ms before"));
  }
  CountedScene scene;
  scene.worker.times = [](std::size_t, Clock clock) {
    auto times = fakes::call_of(1);
    if (clock == Clock::kCounters) times.envelope_ns = static_cast<std::int64_t>(3.3 * kMs);
    return times;
  };
  CHECK(scene.run().status == Status::RUNTIME_ERROR);
}

TEST_CASE("there is no verdict on calls that vary so much that their mean says too little") {
  const auto run = [](double work_ms) {
    CountedScene scene(work_ms);
    // Two of five in a row take five times as long: the mean is 2.6, and 1.25 with limits.
    scene.worker.times = [timed = 0](std::size_t, Clock clock) mutable {
      return fakes::call_of(clock == Clock::kEventSegments && timed++ % 5 < 2 ? 5 : 1);
    };
    return scene.run();
  };
  CHECK(run(1.3).status == Status::PASSED);
  CHECK_THROWS_WITH(run(2.6),
                    Catch::Contains("the calls vary too much to be held against the device's own") &&
                        Catch::Contains("(the mean is 2.6000 ms, and 1.2500 ms with limits"));
  CHECK(run(4).status == Status::RUNTIME_ERROR);
}

TEST_CASE("fib's own work is counted once a workload, and no evaluation but the chosen ones is counted") {
  CountedScene scene;
  CHECK(scene.run().status == Status::PASSED);
  CHECK(scene.run().status == Status::PASSED);
  CHECK(scene.judge.counted == 2);
  CHECK(scene.judge.counted_own == 1);
  CHECK(scene.judge.counts_begun == 1);

  CountedScene not_chosen;
  not_chosen.is_counted = false;
  CHECK_FALSE(not_chosen.run().counted);
  CHECK(not_chosen.judge.counted_own == 0);
  CountedScene launch_plan;  // nothing of it runs where the clock does
  launch_plan.use_launch_plan();
  CHECK_FALSE(launch_plan.run().counted);
  Scene cpu;
  cpu.is_counted = true;
  CHECK_FALSE(cpu.run().counted);
  CountedScene wrong;  // what has failed already
  wrong.judge.judgement = [](std::size_t) { return eval::Judgement{false, 1, 1, 0, "wrong"}; };
  CHECK_FALSE(wrong.run().counted);
}

TEST_CASE("what is more than all work together is not fib's own work alone, and is counted again") {
  CountedScene scene;
  scene.judge.own_ns = 3 * kMs;
  scene.judge.busy_ns = [&scene](int) {
    scene.judge.own_ns = 0.1 * kMs;  // from the second time on
    return kCounted * 0.15 * kMs;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.counted->own_ms == Approx(0.1));
  CHECK(scene.judge.counted_own == 2);

  CountedScene always;  // nobody knows what the calls took
  always.judge.own_ns = 3 * kMs;
  CHECK_THROWS_WITH(always.run(), Catch::Contains("all calls together took less"));
  CHECK(always.judge.counted_own == kMostCounts);
}

TEST_CASE("where calls return their outputs fib's own work is counted with one more copy") {
  CountedScene scene;
  CHECK(scene.run().status == Status::PASSED);
  CHECK_FALSE(scene.judge.counted_returns);
  scene.solution.spec.destination_passing = false;
  CHECK(scene.run().status == Status::PASSED);
  CHECK(scene.judge.counted_returns);
  CHECK(scene.judge.counted_own == 2);
}

TEST_CASE("a device without counters is no failure, and the trace says why they are missing") {
  CountedScene scene(100);
  scene.judge.no_counters = "it has none";
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  REQUIRE(m.counted);
  CHECK(m.counted->missing == "it has none");
  CHECK(m.counted->calls == 0);

  // A solution could take the memory that counting needs.
  CountedScene full;
  full.judge.has_room = false;
  CHECK_THROWS_WITH(full.run(), Catch::Contains("no memory left for the buffers in which calls are counted"));
  full.judge.no_counters = "it has none";
  CHECK(full.run().status == Status::PASSED);
}

TEST_CASE("counters that do not see fib's own work are as good as none") {
  CountedScene scene(100);
  scene.judge.own_ns = 0;
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.counted->missing == "the device's counters have not seen the work that fib itself gave it");
}

TEST_CASE("there is no verdict where others keep the device busy that is to be counted") {
  CountedScene scene;
  scene.judge.is_idle = [&scene](int) { return scene.judge.counted_own == 0; };
  CHECK_THROWS_AS(scene.run(), bench::NoVerdict);

  CountedScene shared(3);  // with bursts that are over whenever it is looked at
  shared.judge.others_ns = 5 * kMs;
  CHECK_THROWS_AS(shared.run(), bench::NoVerdict);
  CountedScene disturbed;  // but not so that it matters
  disturbed.judge.others_ns = 5 * kMs;
  CHECK(disturbed.run().status == Status::PASSED);
}

TEST_CASE("of long calls as few are counted as a count has time for, and none of those that are longer") {
  const auto run = [](double ms) {
    CountedScene scene;
    scene.worker.times = [ms](std::size_t, Clock) { return fakes::call_of(ms); };
    return scene.run();
  };
  const auto few = run(100);
  CHECK(few.status == Status::PASSED);
  CHECK(few.counted->calls == 3);
  const auto none = run(200);
  CHECK(none.status == Status::PASSED);
  CHECK_THAT(none.counted->missing, Catch::Matchers::StartsWith("the calls are so long"));
}

TEST_CASE("calls that CUPTI's records time are counted like others") {
  CountedScene scene;
  scene.config.clock = bench::ClockChoice::kCuptiConcurrent;
  CHECK(scene.run().status == Status::PASSED);
  CHECK(scene.judge.counted == 1);
}

TEST_CASE("no solution sees at its buffers whether its evaluation is counted") {
  for (const bool is_counted : {false, true}) {
    CountedScene scene;
    scene.is_counted = is_counted;
    CHECK(scene.run().status == Status::PASSED);
    CHECK(scene.judge.attached.back().has_private);
  }
  CountedScene launch_plan;
  launch_plan.use_launch_plan();
  CHECK(launch_plan.run().status == Status::PASSED);
  CHECK_FALSE(launch_plan.judge.attached.back().has_private);
}

TEST_CASE("what may be at work beyond the claims is 2 us, a tenth of them and 4 % of fib's own work") {
  using bench::uncounted_work;
  CHECK_FALSE(uncounted_work(counted(0.1 + 0.002 + 0.0061, 0.1, 0.002), 0.1));
  CHECK(uncounted_work(counted(0.1 + 0.002 + 0.0063, 0.1, 0.002), 0.1));
  CHECK_FALSE(uncounted_work(counted(1.20, 0.1, 1), 0.1));
  CHECK(uncounted_work(counted(1.21, 0.1, 1), 0.1));
  CHECK_FALSE(uncounted_work({"none"}, 0.1));
}

TEST_CASE("some long claims do not pay for work that the other calls hide") {
  const std::vector<double> usual(23, 0.002);
  CHECK(bench::claimed_ms({usual, {5}}) == Approx((0.002 * 23 + 0.004) / 24));
  CHECK(bench::claimed_ms({{1, 1.5, 1}}) == Approx(3.5 / 3));
  CHECK(bench::claimed_ms({{1, 1, 1, 2, 2}}) == Approx(1.25));
  CHECK(bench::claimed_ms({{1, 0.2, 1}}) == Approx(2.2 / 3));
}

TEST_CASE("one evaluation of each solution is counted, on a workload that the run's secret chooses") {
  std::vector<model::Solution> solutions(2);
  std::vector<model::Workload> workloads(5);
  for (std::size_t i = 0; i < workloads.size(); ++i) workloads[i].uuid = std::to_string(i);
  std::vector<bench::PlannedEvaluation> plan;
  for (const std::size_t point : {0U, 1U}) {
    for (const auto& solution : solutions) {
      for (const auto& workload : workloads) {
        bench::PlannedEvaluation planned;
        planned.solution = &solution;
        planned.workload = &workload;
        planned.point = point;
        plan.push_back(planned);
      }
    }
  }
  const auto chosen = [&](std::string_view secret) {
    const CountedEvaluations counted(plan, secret);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (counted.contains(plan[i])) places.push_back(i);
    }
    return places;
  };
  std::set<std::size_t> first;
  for (int run = 0; run < 40; ++run) {
    const auto places = chosen(std::to_string(run));
    REQUIRE(places.size() == 4);
    // The same workload for all, so that fib's own work is counted once.
    for (std::size_t i = 0; i < 4; ++i) CHECK(places[i] == places[0] + 5 * i);
    first.insert(places[0]);
  }
  CHECK(first.size() == workloads.size());
  CHECK(chosen("a") == chosen("a"));
}
