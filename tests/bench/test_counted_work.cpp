#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>

#include "bench/counted_scene.h"
#include "bench/counted_work.h"

// Whether what a GPU's own counters saw is what the calls claim.
using namespace fib;
using fakes::CountedScene;
using fakes::kCounted;
using fakes::kMs;
using model::Status;
using worker::Clock;

namespace {

constexpr double kClaimMs = 1;  // of a scene's calls
constexpr int kMostProblems = 3;

}  // namespace

TEST_CASE("calls that claim what the device was at work for pass, and the trace says what was seen") {
  CountedScene scene;
  scene.judge.engine_ns = [](int) { return kCounted * 1.05 * kMs; };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  REQUIRE(m.counted);
  CHECK(m.counted->calls == kCounted);
  CHECK(m.counted->claimed_ms == Approx(kClaimMs));
  CHECK(m.counted->busy_ms == Approx(0.9));
  CHECK(m.counted->engine_ms == Approx(1.05));
  CHECK(m.counted->own_ms == 0);
  CHECK(scene.judge.counted == 1);
  CHECK(scene.judge.counts_begun == 1);
  // All of them were judged, where the call leaves its outputs; the worker was asked for no time.
  CHECK(m.sets == scene.judge.compared.size());
  CHECK(scene.judge.compared_private == kCounted);
  CHECK(scene.calls_by(Clock::kCounters) == kCounted);
  CHECK(scene.worker.clocks.back() == Clock::kCounters);
  // Each had buffers of its own, which the solution saw when its call came; all are given back.
  const std::set<std::uint32_t> doors(scene.worker.opened_doors.begin(), scene.worker.opened_doors.end());
  CHECK(doors.size() == 1 + kCounted);
  // A part of what each has left was read before the next.
  REQUIRE(scene.judge.sampled_after.size() == kCounted);
  for (std::size_t i = 0; i < kCounted; ++i)
    CHECK(scene.judge.sampled_after[i] == scene.worker.clocks.size() - kCounted + i + 1);
  CHECK(scene.judge.doors_open == 0);
}

TEST_CASE("what a counted call leaves is judged, and what it says of its time is not asked for") {
  CountedScene wrong;
  wrong.judge.judgement = [&wrong](std::size_t) {
    const bool is_right = wrong.judge.compared_private < 5;
    return eval::Judgement{is_right, 0, 0, 1, is_right ? "" : "wrong"};
  };
  const auto m = wrong.run();
  CHECK(m.status == Status::INCORRECT_NUMERICAL);
  REQUIRE(m.failure);
  CHECK(m.failure->call == wrong.worker.clocks.size() - kCounted + 5);

  CountedScene scene;
  scene.worker.times = [](std::size_t, Clock clock) {
    auto times = fakes::call_of(1);
    if (clock == Clock::kCounters) times.done = {};  // a time that would be impossible
    return times;
  };
  CHECK(scene.run().status == Status::PASSED);
}

TEST_CASE(
    "a device that was at work for longer than calls claim fails them, three times before it does not") {
  CountedScene scene(3);
  const auto m = scene.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK_THAT(m.note, Catch::Matchers::StartsWith(
                         "the device's own counters saw its multiprocessors at work for 3.0000 ms a call, "
                         "and the calls claim 1.0000 ms"));
  REQUIRE(m.failure);
  CHECK(m.failure->code == model::ErrorCode::clocks_disagree);
  CHECK(scene.judge.counted == kMostProblems);
  CHECK(scene.judge.counts_begun == kMostProblems);
  // Buffers that a solution has seen are not used again.
  const std::set<std::uint32_t> doors(scene.worker.opened_doors.begin(), scene.worker.opened_doors.end());
  CHECK(doors.size() == 1 + kMostProblems * kCounted);

  CountedScene disturbed;  // once, by somebody else
  disturbed.judge.busy_ns = [](int count) { return kCounted * (count == 1 ? 5 : 1.1) * kMs; };
  CHECK(disturbed.run().status == Status::PASSED);
  CHECK(disturbed.judge.counted == 3);
}

TEST_CASE("one of the first three counted calls is on smaller inputs, as nobody can foretell") {
  std::set<std::uint64_t> places;
  for (const std::string secret : {"0", "1", "2", "3", "4", "5", "6", "7"}) {
    CountedScene scene;
    scene.secret = secret;
    CHECK(scene.run().status == Status::PASSED);
    const auto& sets = scene.judge.compared;
    REQUIRE(sets.size() > kCounted);
    const auto first = sets.end() - kCounted;
    CHECK(std::count_if(first, sets.end(), [](const auto& set) { return set.is_scaled; }) == 1);
    const auto scaled = std::find_if(first, sets.end(), [](const auto& set) { return set.is_scaled; });
    places.insert(static_cast<std::uint64_t>(scaled - first));
  }
  CHECK(places.size() > 1);
  CHECK(*places.rbegin() < 3);
}

TEST_CASE("an evaluation is counted later, on inputs that it has not had, and its claims stay as they are") {
  CountedScene scene;
  auto m = scene.evaluate();
  CHECK(m.status == Status::PASSED);
  REQUIRE(m.count_wanted);
  CHECK(m.count_wanted->calls == kCounted);
  CHECK(m.count_wanted->first_set == m.sets);
  CHECK(m.count_wanted->first_call == scene.worker.clocks.size());
  CHECK_FALSE(m.counted);
  CHECK(scene.judge.counts_begun == 0);
  const auto before = scene.judge.compared;
  const auto claims = m.trials_ms;
  const auto quiet = scene.quiet_after.size();

  bench::count_work(scene.parts(), m);
  CHECK(m.status == Status::PASSED);
  CHECK_FALSE(m.count_wanted);
  CHECK(m.trials_ms == claims);
  CHECK(m.sets == before.size() + kCounted);
  CHECK(scene.quiet_after.size() == quiet + 1);
  for (std::size_t i = before.size(); i < scene.judge.compared.size(); ++i)
    CHECK(std::find(before.begin(), before.end(), scene.judge.compared[i]) == before.end());
}

TEST_CASE("counted calls have sets of the solution's own, also where others share theirs") {
  CountedScene dear;
  dear.judged.dear = true;
  dear.judged.dear_plan = bench::wanted_calls(dear.config);
  auto m = dear.evaluate();
  REQUIRE(m.count_wanted);
  CHECK(m.sets_shared);
  const auto before = dear.judge.compared.size();
  bench::count_work(dear.parts(), m);
  CHECK(m.status == Status::PASSED);
  REQUIRE(dear.judge.compared.size() == before + kCounted);
  for (std::size_t i = before; i < dear.judge.compared.size(); ++i)
    CHECK(dear.judge.compared[i].owner == dear.planned.set_owner);
}

TEST_CASE("where no input is random, counted calls have the one set that there is") {
  CountedScene fixed;
  fixed.judged.opened.inputs_fixed = true;
  auto m = fixed.evaluate();
  REQUIRE(m.count_wanted);
  bench::count_work(fixed.parts(), m);
  CHECK(m.status == Status::PASSED);
  CHECK(m.sets == 1);
  CHECK(m.counted->calls == kCounted);
}

TEST_CASE("a count times no reference whose outputs nobody needs") {
  CountedScene sampling;
  sampling.planned.rule = eval::Rule::kSampling;
  sampling.judge.needs_expected = false;
  auto m = sampling.evaluate();
  REQUIRE(m.count_wanted);
  const int calls = sampling.reference.calls_made;
  bench::count_work(sampling.parts(), m);
  CHECK(m.status == Status::PASSED);
  CHECK(sampling.reference.calls_made == calls);
}

TEST_CASE("what counted calls do to their inputs is said") {
  CountedScene scene;
  auto m = scene.evaluate();
  CHECK(m.inputs_changed == 0);
  scene.worker.collected.inputs_changed = true;
  bench::count_work(scene.parts(), m);
  CHECK(m.inputs_changed == kCounted);
  CHECK(m.note == "the solution changed its inputs in 48 counted calls\n");
}

TEST_CASE("what the rule says of all counted calls together is heard, and so is what the worker prints") {
  CountedScene scene;
  scene.judge.conclusion = [](int number) {
    const bool is_right = number <= 2;  // of the evaluation
    return worker::Concluded{{is_right, 0, 0, 1, is_right ? "" : "always the same"}, {}};
  };
  const auto m = scene.run();
  CHECK(m.status == Status::INCORRECT_NUMERICAL);
  CHECK(m.note == "all counted calls: always the same\n");
  CHECK(m.output == "printedprinted");
}

TEST_CASE("a kernel that leaves most multiprocessors free has to claim for how long it runs") {
  CountedScene scene(0.01);
  scene.judge.engine_ns = [](int) { return kCounted * 3 * kMs; };
  const auto m = scene.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK_THAT(m.note, Catch::Matchers::StartsWith(
                         "the device's own counters saw its engine for kernels at work for 3.0000 ms a call, "
                         "and the calls claim 1.0000 ms"));
  CHECK(scene.judge.counted == kMostProblems);
}

TEST_CASE("calls that take much longer by fib's own clock while they are counted have no verdict") {
  // As where the host computes what the device does in other calls, whenever it does that, or the machine is
  // busy.
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
    CHECK(run(part, 2.7).status == Status::PASSED);
    CHECK_THROWS_WITH(run(part, 2.8),
                      Catch::StartsWith("a tenth of the calls take 3.8100 ms or more by fib's own clock "
                                        "while the device's own counters are read, and 1.0100 ms before"));
  }
  CountedScene scene;
  scene.worker.times = [](std::size_t, Clock clock) {
    auto times = fakes::call_of(1);
    if (clock == Clock::kCounters) times.envelope_ns = static_cast<std::int64_t>(5.3 * kMs);
    return times;
  };
  CHECK_THROWS_AS(scene.run(), bench::NoVerdict);
}

TEST_CASE("waiting for a CPU in counted calls is no time in which the host can compute") {
  const auto run = [](std::int64_t worker::CallTimes::Beside::*part,
                      std::int64_t worker::CallTimes::Beside::*waited, double others_ms) {
    CountedScene scene;
    scene.worker.beside = [=](Clock clock) {
      worker::CallTimes::Beside beside;
      if (clock != Clock::kCounters) return beside;
      beside.*part = beside.*waited = static_cast<std::int64_t>(9 * kMs);
      beside.others_cpu_ns = static_cast<std::int64_t>(others_ms * kMs);
      return beside;
    };
    return scene.run();
  };
  using Beside = worker::CallTimes::Beside;
  CHECK(run(&Beside::prepare_ns, &Beside::prepare_waited_ns, 0).status == Status::PASSED);
  CHECK(run(&Beside::collect_ns, &Beside::collect_waited_ns, 0).status == Status::PASSED);
  CHECK(run(&Beside::open_ns, &Beside::open_waited_ns, 0).status == Status::PASSED);
  // But where the solution's own threads had the CPUs.
  CHECK_THROWS_AS(run(&Beside::prepare_ns, &Beside::prepare_waited_ns, 9), bench::NoVerdict);
}

TEST_CASE("opening the workload is no time in which the host can compute what a counted call is to") {
  const auto run = [](double ms) {
    CountedScene scene;
    scene.worker.open_ns = [ms](std::size_t number) {
      return number == 1 ? 0 : static_cast<std::int64_t>(ms * kMs);
    };
    return scene.run();
  };
  CHECK(run(2.6).status == Status::PASSED);
  CHECK_THROWS_WITH(run(2.8), Catch::StartsWith("a tenth of the calls take 3.8100 ms or more"));
}

TEST_CASE("of calls that vary so much that their median says too little, the mean is the latency") {
  const auto run = [](double work_ms) {
    CountedScene scene(work_ms);
    // Two of five in a row take five times as long: the mean is 2.6, and 1.05 with limits.
    scene.worker.times = [timed = 0](std::size_t, Clock clock) mutable {
      return fakes::call_of(clock == Clock::kEventSegments && timed++ % 5 < 2 ? 5 : 1);
    };
    return scene.run();
  };
  const auto usual = run(1.1);
  CHECK(usual.status == Status::PASSED);
  CHECK_FALSE(usual.latency_is_mean);
  CHECK(bench::latency_of(usual) == Approx(1));
  const auto varying = run(2.6);
  CHECK(varying.status == Status::PASSED);
  CHECK(varying.latency_is_mean);
  CHECK(bench::latency_of(varying) == Approx(2.6));
  CHECK(varying.counted->claimed_ms == Approx(2.6));
  CHECK_THAT(varying.note, Catch::Matchers::StartsWith(
                               "the calls differ so much that their median, 1 ms, says too little: the "
                               "device's own counters saw it at work for what their mean claims, 2.6 ms"));
  const auto lying = run(4);
  CHECK(lying.status == Status::RUNTIME_ERROR);
  CHECK_FALSE(lying.latency_is_mean);
}

TEST_CASE("a device that exchanges more with the host than the claims have time for does not do the work") {
  const auto run = [](double bytes, double solution_ms = 0.9) {
    CountedScene scene(solution_ms);
    scene.judge.bus_bytes = kCounted * bytes;
    return scene.run();
  };
  // 64 KiB, and 128 GB/s for 1 ms.
  CHECK(run(65'536 + 128e6 - 10).status == Status::PASSED);
  CHECK(run(1000).counted->bus_bytes == Approx(1000));
  const auto m = run(65'536 + 129e6);
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK_THAT(m.note, Catch::Matchers::StartsWith(
                         "the device exchanged 129065536 bytes a call with the host, and the 1.0000 ms that "
                         "the calls claim are too short for that"));
  CHECK(m.failure->code == model::ErrorCode::clocks_disagree);

  CountedScene shared;  // others do
  shared.judge.bus_bytes = kCounted * 200e6;
  shared.judge.others_bus_bytes = 2e6;
  CHECK_THROWS_AS(shared.run(), bench::NoVerdict);
}

TEST_CASE(
    "where calls return their outputs it is known what fib's copies of them take: the least that was seen") {
  CountedScene scene;
  scene.judge.copies_ns = 0.3 * kMs;
  CHECK(scene.run().counted->own_ms == 0);
  CHECK(scene.judge.copies_timed == 0);
  scene.solution.spec.destination_passing = false;
  scene.judge.busy_ns = [](int) { return kCounted * 1.4 * kMs; };  // 1.1 without them
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.counted->own_ms == Approx(0.3));
  CHECK(scene.judge.copies_timed == 1);
  scene.judge.copies_ns = 0.9 * kMs;  // as where something makes them slow
  CHECK(scene.run().counted->own_ms == Approx(0.3));
  scene.judge.copies_ns = 0.2 * kMs;
  CHECK(scene.run().counted->own_ms == Approx(0.2));
}

TEST_CASE("a count tells of other workloads where it saw more than it leaves open") {
  const auto tells = [](double claim_ms) {
    CountedScene scene;
    scene.worker.times = [claim_ms](std::size_t, Clock) { return fakes::call_of(claim_ms); };
    scene.judge.busy_ns = [claim_ms](int) { return kCounted * claim_ms * kMs; };
    const auto m = scene.run();
    CHECK(m.status == Status::PASSED);
    return m.counted->tells;
  };
  // 1 us, 6.25 us for coming to the process, 1.5 us for a kernel and a tenth of the claim, 1.5 times.
  CHECK_FALSE(tells(0.0153));
  CHECK(tells(0.0156));
}

TEST_CASE("a device without counters is no failure, and the trace says why they are missing") {
  CountedScene scene(100);
  scene.judge.no_counters = "it has none";
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  REQUIRE(m.counted);
  CHECK(m.counted->missing == "it has none");
  CHECK(m.counted->calls == 0);
  CHECK(scene.judge.attached.size() == 2);  // nothing was prepared
  CHECK(m.sets == scene.judge.compared.size());

  // A solution could take the memory that counting needs.
  CountedScene full;
  full.judge.most_private = 0;
  CHECK_THROWS_WITH(full.run(), Catch::Contains("no memory left for the buffers in which calls are counted"));
  CHECK(full.judge.doors_open == 0);
  full.judge.no_counters = "it has none";
  CHECK(full.run().status == Status::PASSED);

  // The solution finds a quarter of what there is.
  const auto calls_with = [](int doors) {
    CountedScene narrow;
    narrow.judge.most_private = 1 + doors;
    narrow.judge.busy_ns = [&](int) {
      return 0.9 * static_cast<double>(narrow.judge.sampled_after.size()) * kMs;
    };
    return narrow.run().counted->calls;
  };
  CHECK(calls_with(48) == kCounted);
  CHECK(calls_with(47) == 36);
  CHECK(calls_with(31) == 24);
  CHECK_THROWS_WITH(calls_with(30), Catch::Contains("no memory left"));  // too few would be told too little
}

TEST_CASE("counters that see next to nothing of the calls are as good as none") {
  CountedScene scene(0.09);
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.counted->missing == "the device's counters have seen next to nothing of the calls");
  CHECK(CountedScene(0.11).run().counted->missing.empty());
}

TEST_CASE("there is no verdict where others keep the device busy that is to be counted") {
  CountedScene scene;
  scene.judge.is_idle = [](int look) { return look < 2; };
  CHECK_THROWS_AS(scene.run(), bench::NoVerdict);

  CountedScene shared(3);  // with bursts that are over whenever it is looked at
  shared.judge.others_ns = 5 * kMs;
  CHECK_THROWS_AS(shared.run(), bench::NoVerdict);
  CountedScene small(3);  // with kernels of few blocks
  small.judge.others_engine_ns = 5 * kMs;
  CHECK_THROWS_AS(small.run(), bench::NoVerdict);
  CountedScene disturbed;  // but not so that it matters
  disturbed.judge.others_ns = 5 * kMs;
  CHECK(disturbed.run().status == Status::PASSED);
}

TEST_CASE("there is no verdict where some counted calls take much longer, three times") {
  // As where the host computes what the device does in other calls, in less than half of them.
  const auto run = [](int of_48, int counts) {
    CountedScene scene;
    scene.worker.times = [of_48, counts, counted = 0](std::size_t, Clock clock) mutable {
      auto times = fakes::call_of(1);
      const bool is_long =
          clock == Clock::kCounters && counted / kCounted < counts && counted++ % kCounted < of_48;
      if (is_long) times.envelope_ns += static_cast<std::int64_t>(20 * kMs);
      return times;
    };
    return scene.run();
  };
  CHECK(run(4, 3).status == Status::PASSED);
  CHECK(run(23, 2).status == Status::PASSED);  // somebody else kept the machine busy
  CHECK_THROWS_WITH(run(23, 3),
                    Catch::Contains("a tenth of the calls take 21.0100 ms or more by fib's own clock"));
}

TEST_CASE("slow calls leave no verdict either where the mean of the claims covers what was seen") {
  const auto run = [](double long_ms) {
    CountedScene scene(2.6);
    scene.worker.times = [long_ms, timed = 0, counted = 0](std::size_t, Clock clock) mutable {
      auto times = fakes::call_of(clock == Clock::kEventSegments && timed++ % 5 < 2 ? 5 : 1);
      if (clock == Clock::kCounters && counted++ % 5 < 2)
        times.envelope_ns += static_cast<std::int64_t>(long_ms * kMs);
      return times;
    };
    return scene.run();
  };
  CHECK(run(4).latency_is_mean);  // its calls have as much room as the mean
  CHECK_THROWS_WITH(run(20), Catch::Contains("a tenth of the calls take"));
}

TEST_CASE("a worker whose records name no kernel has the gaps of one") {
  const auto status_of = [](double engine_ms) {
    CountedScene scene(0.1);
    scene.worker.times = [](std::size_t, Clock) {
      auto times = fakes::call_of(1);
      times.done.kernels = 0;
      return times;
    };
    scene.judge.engine_ns = [engine_ms](int) { return kCounted * engine_ms * kMs; };
    return scene.run().status;
  };
  // The claim of 1 ms would have time for 1,667 kernels, and gaps of 2.5 ms.
  CHECK(status_of(1.1) == Status::PASSED);
  CHECK(status_of(1.2) == Status::RUNTIME_ERROR);
}

TEST_CASE("who loses all records of a call has no gaps between kernels to explain what was seen") {
  const auto scene_of = [](double engine_ms) {
    auto scene = std::make_unique<CountedScene>();
    scene->worker.times = [](std::size_t, Clock clock) {
      auto times = fakes::call_of(1);
      times.done.dropped = worker::is_by_cupti(clock);
      return times;
    };
    scene->judge.engine_ns = [engine_ms](int) { return kCounted * engine_ms * kMs; };
    return scene;
  };
  CHECK(scene_of(1.1)->run().status == Status::PASSED);
  // As many kernels as the claim has time for would explain it.
  CHECK_THROWS_WITH(scene_of(3)->run(),
                    Catch::StartsWith("CUPTI lost its records of all calls") &&
                        Catch::Contains("engine for kernels at work for 3.0000 ms a call"));
  CHECK(scene_of(5)->run().status == Status::RUNTIME_ERROR);
}

TEST_CASE("counters that cannot be read when a count begins leave no verdict") {
  CountedScene scene;
  scene.judge.stopped_counters = "the device's counters stand still";
  CHECK_THROWS_WITH(scene.run(), "the device's counters stand still");
}

TEST_CASE("calls that CUPTI's records time are counted like others") {
  CountedScene scene;
  scene.config.clock = bench::ClockChoice::kCuptiConcurrent;
  CHECK(scene.run().status == Status::PASSED);
  CHECK(scene.judge.counted == 1);
}

TEST_CASE("no solution sees at its buffers whether calls are counted") {
  for (const bool counts_work : {false, true}) {
    CountedScene scene;
    scene.counts_work = counts_work;
    CHECK(scene.run().status == Status::PASSED);
    CHECK(scene.judge.attached.at(fakes::kSolutionDoor - 1).has_private);
  }
  CountedScene launch_plan;
  launch_plan.use_launch_plan();
  CHECK(launch_plan.run().status == Status::PASSED);
  CHECK_FALSE(launch_plan.judge.attached.back().has_private);
}
