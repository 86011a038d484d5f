#include <catch2/catch.hpp>
#include <utility>

#include "bench/fakes.h"

// What an evaluation does with its solution's calls, whatever they are timed by; clocks are in
// test_clocks.cpp, expected outputs in test_expected_outputs.cpp.
using namespace fib;
using fakes::kCalls;
using fakes::kSolutionDoor;
using fakes::Scene;
using fakes::sets_of;
using model::Status;
using worker::Failure;
using worker::SetId;

namespace {

eval::Judgement wrong(const std::string& why) { return {false, 3, 4, 0.5, why}; }

}  // namespace

TEST_CASE("where no code of the solution runs on the host, the next call is filled while one is judged") {
  Scene scene;
  scene.use_launch_plan();
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  const auto calls = scene.judge.compared.size();
  CHECK(scene.judge.compared == sets_of("own", 0, calls));
  CHECK(scene.judge.filled[kSolutionDoor] == sets_of("own", 0, calls));
  // All but the first call, the one that shows what a call does, and the first of the trials, whose expected
  // outputs were not there yet.
  CHECK(scene.judge.filled_ahead == static_cast<int>(calls) - 3);

  Scene host_code;
  host_code.use_cuda();
  CHECK(host_code.run().status == Status::PASSED);
  CHECK(host_code.judge.filled_ahead == 0);
}

TEST_CASE("whatever was filled ahead, a call finds its own set") {  // the judge checks it at each comparison
  Scene fixed;
  fixed.use_launch_plan();
  fixed.judged.opened.inputs_fixed = true;
  CHECK(fixed.run().status == Status::PASSED);
  CHECK(fixed.judge.filled_ahead > 0);

  Scene shared;
  shared.use_launch_plan();
  shared.reference.call_ms = 3000;
  const auto m = shared.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.sets_shared);
}

TEST_CASE("of the calls that are not timed some are on smaller inputs, and of the timed ones none") {
  const auto scaled_of = [](const Scene& scene) {
    std::vector<std::uint64_t> calls;
    for (const auto& set : scene.judge.compared) {
      if (set.is_scaled) calls.push_back(set.call);
    }
    return calls;
  };
  Scene scene;
  scene.config.warmup_runs = 10;
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  REQUIRE(m.plan.warmup == 10);
  const auto scaled = scaled_of(scene);
  REQUIRE_FALSE(scaled.empty());
  CHECK(scaled.front() >= 2);
  CHECK(scaled.back() == 9);
  // Where nobody says how many calls there are, one or two more are made for that.
  Scene as_needed;
  as_needed.config.iterations = as_needed.config.num_trials = as_needed.config.warmup_runs = std::nullopt;
  const auto settled = as_needed.run();
  CHECK(settled.status == Status::PASSED);
  const auto more = scaled_of(as_needed);
  REQUIRE_FALSE(more.empty());
  CHECK(more.back() == 3);
  CHECK(settled.sets ==
        static_cast<std::uint64_t>(settled.plan.calls_of(static_cast<int>(settled.trials_ms.size()))) +
            more.size());
  // Also of a solution that is slow when that is decided, as it may be on purpose.
  Scene slow;
  slow.config.iterations = slow.config.num_trials = slow.config.warmup_runs = std::nullopt;
  slow.worker.times = [](std::size_t call, worker::Clock) { return fakes::call_of(call <= 2 ? 3000 : 1); };
  const auto dear = slow.run();
  CHECK(dear.status == Status::PASSED);
  CHECK(dear.plan.too_dear);
  CHECK(scaled_of(slow) == std::vector<std::uint64_t>{2});
  CHECK(dear.sets == static_cast<std::uint64_t>(dear.plan.total()) + 1);
  for (const int warmup : {0, 2}) {
    Scene few;
    few.config.warmup_runs = warmup;
    CHECK(few.run().status == Status::PASSED);
    CHECK(scaled_of(few).empty());
  }
}

TEST_CASE("nothing of fib's own happens beside a call that may count") {
  Scene scene;
  CHECK(scene.run().status == Status::PASSED);
  REQUIRE_FALSE(scene.quiet_after.empty());
  CHECK(scene.quiet_after.front() == 1);  // the first call is a warm-up call
  Scene cold;
  cold.config.warmup_runs = 0;
  CHECK(cold.run().status == Status::PASSED);
  REQUIRE_FALSE(cold.quiet_after.empty());
  CHECK(cold.quiet_after.front() == 0);
}

TEST_CASE("a first call that takes long is no reason to make fewer") {
  Scene scene;
  scene.worker.times = [](std::size_t call, worker::Clock) { return fakes::call_of(call == 1 ? 3000 : 1); };
  CHECK(scene.run().plan.total() == kCalls);
}

TEST_CASE("calls that take long are fewer, as the budget says") {
  Scene scene;
  scene.config.call_budget_s = 2;
  scene.worker.times = [](std::size_t, worker::Clock) { return fakes::call_of(180); };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  // 182 ms each with the reference's: ten of fourteen.
  CHECK(m.plan.trials == 2);
  CHECK(m.plan.warmup == 2);
  CHECK(m.plan.timed == 3);
  CHECK_FALSE(m.plan.too_dear);
  CHECK(m.trials_ms.size() == 2);
  CHECK(scene.worker.clocks.size() == 10);
}

TEST_CASE("a rule that judges all calls together gets more of them, within the budget") {
  Scene scene;
  scene.judged.opened.calls_wanted = 40;
  CHECK(scene.run().sets == 40);

  Scene slow;
  slow.config.call_budget_s = 0.1;
  slow.worker.times = [](std::size_t, worker::Clock) { return fakes::call_of(4); };
  slow.judged.opened.calls_wanted = 40;
  const auto m = slow.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.sets >= kCalls);
  CHECK(m.sets < 40);
}

TEST_CASE("a rule that repeats calls gets sets of the calls before, each of another call, a few at least") {
  Scene scene;
  scene.judged.opened.repeats_wanted = 3;
  const auto m = scene.run();
  CHECK(m.sets == kCalls + 2);
  REQUIRE(scene.judge.compared.size() == kCalls + 5);
  const auto& compared = scene.judge.compared;
  for (const std::size_t repeat : {kCalls, kCalls + 2, kCalls + 4})
    CHECK(compared[repeat] == compared[repeat - 1]);
  CHECK(compared[kCalls] == SetId{"own", kCalls - 1});
  CHECK(compared[kCalls + 2] == SetId{"own", kCalls});
  CHECK(compared[kCalls + 4] == SetId{"own", kCalls + 1});

  Scene slow;
  slow.config.call_budget_s = 0.001;
  slow.judged.opened.repeats_wanted = 9;
  const auto few = slow.run();
  CHECK(few.status == Status::PASSED);
  CHECK(slow.judge.compared.size() == few.sets + 4);
  CHECK(slow.judge.compared.back() == *(slow.judge.compared.end() - 2));
}

TEST_CASE("what is said of all calls ends an evaluation, of the trials alone or with the calls after them") {
  for (const int conclusion : {1, 2}) {
    Scene scene;
    scene.judged.opened.calls_wanted = 20;
    scene.judge.conclusion = [&](int number) {
      return worker::Concluded{
          number == conclusion ? wrong("too often 3") : eval::Judgement{true, 0, 0, 1, {}},
          R"({"tvd": 0.5})"};
    };
    const auto m = scene.run();
    CHECK(m.status == Status::INCORRECT_NUMERICAL);
    CHECK(m.note == "all calls: too often 3\n");
    CHECK(m.judged == R"({"tvd": 0.5})");
    CHECK(m.max_absolute_error == 3);
    CHECK(scene.worker.clocks.size() == (conclusion == 1 ? kCalls : 20));
  }
}

TEST_CASE("a wrong output ends an evaluation and says in which call") {
  Scene scene;
  scene.judge.judgement = [](std::size_t call) {
    return call == 9 ? wrong("y[3] is 1 instead of 2") : eval::Judgement{true, 0.5, 0.25, 1, {}};
  };
  const auto m = scene.run();
  CHECK(m.status == Status::INCORRECT_NUMERICAL);
  CHECK(m.note == "call 9: y[3] is 1 instead of 2\n");
  CHECK(m.max_absolute_error == 3);
  CHECK(m.max_relative_error == 4);
  CHECK(m.matched_ratio == 0.5);
  CHECK(scene.worker.clocks.size() == 9);
  // What was timed before is kept.
  CHECK(m.trials_ms == std::vector<std::vector<double>>{{1, 1, 1, 1, 1}});
  CHECK(scene.judge.doors_open == 0);
}

TEST_CASE("a launch that the driver refused says why outputs are not written") {
  const auto run = [](bool on_cuda, bool is_right, std::uint64_t unwritten = 1) {
    Scene scene;
    if (on_cuda) scene.use_cuda();
    scene.worker.times = [](std::size_t, worker::Clock) {
      auto times = fakes::call_of(1);
      times.done.refused_launch = "it asks for 2048 threads a block, and may have 1024";
      return times;
    };
    scene.judge.judgement = [is_right, unwritten](std::size_t) {
      if (is_right) return eval::Judgement{true, 0, 0, 1, {}};
      auto judgement = wrong("y[3] was not written");
      judgement.mismatch.emplace().unwritten = unwritten;
      return judgement;
    };
    return scene.run();
  };
  CHECK(run(true, true).status == Status::PASSED);  // the host has another way
  const auto refused = run(true, false);
  CHECK(refused.status == Status::RUNTIME_ERROR);
  CHECK(refused.note == "call 1: it asks for 2048 threads a block, and may have 1024\n");
  REQUIRE(refused.failure);
  CHECK(refused.failure->code == model::ErrorCode::too_many_threads);
  // Its host has launched another one, which is wrong.
  CHECK(run(true, false, 0).status == Status::INCORRECT_NUMERICAL);
  // The word of a worker for the CPU, where nothing is launched, is worth nothing.
  CHECK(run(false, false).status == Status::INCORRECT_NUMERICAL);
}

TEST_CASE("where the reference chose among equals, a wrong output's text says so, but for indexers") {
  Scene scene;
  scene.reference.tied_rows = 2;
  scene.judge.judgement = [](std::size_t) { return wrong("y[3] is 1 instead of 2"); };
  CHECK_THAT(scene.run().note, Catch::Contains("took some of several equal values in this call"));
  scene.planned.rule = eval::Rule::kDsaIndexer;
  CHECK_THAT(scene.run().note, !Catch::Contains("equal values"));
}

TEST_CASE("the workers' outputs must be as many, and of the shapes and types, as the definition says") {
  Scene few;
  few.worker.collected.outputs.clear();
  CHECK(few.run().status == Status::INCORRECT_SHAPE);
  CHECK(few.judge.compared.empty());

  Scene shape;
  shape.worker.collected.outputs = {{tensor::DType::kFloat32, {63}}};
  CHECK(shape.run().status == Status::INCORRECT_SHAPE);

  Scene dtype;
  dtype.worker.collected.outputs = {{tensor::DType::kFloat16, {64}}};
  CHECK(dtype.run().status == Status::INCORRECT_DTYPE);
}

TEST_CASE("only as many outputs are compared as the solution returned, where a rule allows fewer") {
  Scene scene;
  scene.definition.outputs.push_back(scene.definition.outputs.front());
  scene.definition.outputs.back().name = "lse";
  scene.judged.opened.layout = eval::make_layout(scene.definition, scene.workload);
  CHECK(scene.run().status == Status::INCORRECT_SHAPE);
  scene.planned.rule = eval::Rule::kDsaAttention;
  CHECK(scene.run().status == Status::PASSED);
  CHECK(scene.judge.compared_outputs == 1);
}

TEST_CASE("changed inputs are counted, and an error where that is asked for") {
  Scene scene;
  scene.worker.collected.inputs_changed = true;
  auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.inputs_changed == kCalls);
  CHECK(m.note == "the solution changed its inputs in 14 of 14 calls\n");
  scene.config.strict_inputs = true;
  m = scene.run();
  CHECK(m.status == Status::INCORRECT_NUMERICAL);
  CHECK_THAT(m.note, Catch::StartsWith("call 1: the solution changed its inputs (--strict-inputs)\n"));
}

TEST_CASE("a worker that dies, breaks the protocol or takes too long has failed, and the log says where") {
  const std::vector<std::pair<std::string, std::string>> requests = {
      {"open", "call 1: it ended: SIGSEGV while the workload was opened\n"},
      {"prepare", "call 3: it ended: SIGSEGV while the call was prepared\n"},
      {"run", "call 3: it ended: SIGSEGV while the solution ran\n"},
      {"collect", "call 3: it ended: SIGSEGV while outputs were collected\n"}};
  for (const auto& [request, note] : requests) {
    Scene scene;
    scene.worker.fails_at = request;
    scene.worker.fails_in = 3;
    auto m = scene.run();
    CHECK(m.status == Status::RUNTIME_ERROR);
    CHECK(m.note == note);
    CHECK(scene.judge.doors_open == 0);
    Scene late;
    late.worker.fails_at = request;
    late.worker.fails_in = 3;
    late.worker.failure = {Failure::Kind::kTimeout, "x"};
    m = late.run();
    CHECK(m.status == Status::TIMEOUT);
    CHECK_THAT(m.note, Catch::Contains("the evaluation took longer than 300 s (--timeout)"));
  }
}

TEST_CASE("the limit of an evaluation is charged with the solution's time alone") {
  Scene scene;
  scene.config.timeout_s = 10;
  scene.judge.fill_ns = 7 * fakes::kMs;
  scene.worker.times = [](std::size_t, worker::Clock) { return fakes::call_of(100); };
  const std::int64_t begin = scene.world.now_ns;
  CHECK(scene.run().status == Status::PASSED);
  // Before the last call it has had 13 of 100.01 ms; the rest of the time belongs to others.
  const std::int64_t others = scene.world.now_ns - begin - 14 * fakes::call_of(100).envelope_ns;
  CHECK(scene.worker.deadlines.back() - begin == 10'000 * fakes::kMs + others);
}

TEST_CASE("threads and processes that do not rest are an error") {
  Scene scene;
  scene.worker.times = [](std::size_t, worker::Clock) {
    auto times = fakes::call_of(1);
    times.at_work = worker::WatchedProcess::Worker::kThreads;
    return times;
  };
  CHECK_THAT(scene.run().note, Catch::Contains("threads of the solution keep running"));
  scene.worker.times = [](std::size_t, worker::Clock) {
    auto times = fakes::call_of(1);
    times.at_work = worker::WatchedProcess::Worker::kProcesses;
    return times;
  };
  CHECK_THAT(scene.run().note, Catch::Contains("processes of the solution keep running"));
}

TEST_CASE("claims that cannot be true are refused in the call that makes them") {
  Scene scene;
  scene.worker.times = [](std::size_t call, worker::Clock) {
    auto times = fakes::call_of(1);
    if (call == 4) times.done.elapsed_ns = 0;
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK_THAT(m.note, Catch::StartsWith("call 4: the worker claims 0 ns for the call"));
}

TEST_CASE("time that nothing explains is given two more chances") {
  const auto hides = [](std::size_t until) {
    return [until](std::size_t call, worker::Clock) {
      auto times = fakes::call_of(1);
      if (call <= until) times.envelope_ns += 3 * fakes::kMs;
      return times;
    };
  };
  Scene once;
  once.worker.times = hides(kCalls);
  CHECK(once.run().status == Status::PASSED);
  CHECK(once.worker.clocks.size() == 2 * kCalls);

  Scene always;
  always.worker.times = hides(1000);
  const auto m = always.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK_THAT(m.note,
             Catch::Contains("the coordinator's clock saw") && Catch::Contains("that nothing explains"));
  CHECK(always.worker.clocks.size() == 3 * kCalls);
}

TEST_CASE("so is what the host's clock sees beyond the events of a launch plan") {
  // In calls up to `until`, of all trials or of the first alone.
  const auto run = [](std::size_t until, bool in_all_trials) {
    Scene scene;
    scene.use_launch_plan();
    scene.worker.times = [=, call = std::size_t{0}](std::size_t, worker::Clock clock) mutable {
      auto times = fakes::call_of(1);
      if (clock != worker::Clock::kEvents) return times;
      times.done.empty_around_ns = 4'000;
      times.done.around_ns = 4'100;
      const bool is_of_first_half = call % 14 < 7;
      if (call++ < until && (in_all_trials || is_of_first_half)) times.done.around_ns += 30'000;
      return times;
    };
    return scene.run();
  };
  CHECK(run(8, true).status == Status::PASSED);
  const auto always = run(10'000, true);
  CHECK(always.status == Status::RUNTIME_ERROR);
  CHECK(always.failure->code == model::ErrorCode::clocks_disagree);
  CHECK_THAT(always.note, Catch::Contains("by events, whose times a kernel can rewrite"));
  CHECK_THROWS_WITH(run(10'000, false), Catch::Contains("in some trials: the machine is too busy"));
}

TEST_CASE("a judge that is lost ends an evaluation without a verdict, at whatever request") {
  for (const char* request : {"describe", "attach", "knows", "fill", "keep", "compare", "conclude"}) {
    for (const std::uint64_t after : {0, 1}) {
      Scene scene;
      scene.judged.dear = true;  // shared sets, so that it is asked what it knows
      scene.judged.dear_plan = {1, 1, 3, true};
      scene.judge.lost_at = request;
      scene.judge.lost_after = after;
      if (std::string(request) == "describe" && after == 1) continue;  // asked once
      CHECK_THROWS_AS(scene.run(), worker::JudgeLost);
    }
  }
  // What is given back at the end is lost with it: no harm.
  Scene scene;
  scene.judge.lost_at = "detach";
  CHECK(scene.run().status == Status::PASSED);
}

TEST_CASE("a reference that fails is nothing that can be said against the solution") {
  for (const char* request : {"open", "call"}) {
    Scene scene;
    scene.reference.fails_at = request;
    CHECK_THROWS_AS(scene.run(), bench::ReferenceError);
    CHECK(scene.judge.doors_open == 0);
    CHECK_FALSE(scene.world.stopped);
  }
}

TEST_CASE("the log begins with how a solution's style was found and which inputs were made") {
  Scene scene;
  scene.facts.note = "destination passing, since run has two parameters";
  scene.judged.synthesized = {"x"};
  CHECK(scene.run().note ==
        "destination passing, since run has two parameters\ninputs made by --synthesize-missing: x\n");
}

TEST_CASE("a launch plan that does not fit the workload is a runtime error with its reason") {
  Scene scene;
  scene.use_cuda();
  scene.symbols = {"run"};
  const auto m = scene.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK_THAT(m.note, Catch::StartsWith("call 1: ") && Catch::Contains("launch"));
  CHECK(scene.worker.clocks.empty());
}
