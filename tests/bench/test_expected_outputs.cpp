#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "bench/fakes.h"

// What the reference is asked for beside an evaluation's calls: expected outputs, in batches, and its time.
using namespace fib;
using fakes::kCalls;
using fakes::kSolutionDoor;
using fakes::Scene;
using fakes::sets_of;
using model::Status;
using worker::SetId;

namespace {

constexpr std::uint32_t kReferenceDoor = 1;

}  // namespace

TEST_CASE("every call has a set of its own, whose expected output was made while the solution was stopped") {
  Scene scene;
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.note.empty());
  CHECK(m.output == "printed");
  CHECK(m.engine == "a reference");
  CHECK(m.trials_ms == std::vector<std::vector<double>>{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}});
  CHECK(scene.judge.filled[kSolutionDoor] == sets_of("own", 0, kCalls));
  CHECK(scene.judge.filled[kReferenceDoor] == sets_of("own", 0, kCalls));
  CHECK(scene.judge.compared == sets_of("own", 0, kCalls));
  CHECK(m.sets == kCalls);
  CHECK_FALSE(m.sets_shared);
  // Two calls are cold, and no more than --iterations are kept.
  CHECK(m.reference_ms == std::vector<double>(5, 2));
  CHECK_FALSE(m.reference_is_shared);
  CHECK(scene.judge.doors_open == 0);
  CHECK(scene.judge.conclusions == 2);
}

TEST_CASE("nor beside calls of the reference that are made for their time") {
  for (const bool is_fixed : {false, true}) {
    Scene scene;
    scene.judged.opened.inputs_fixed = is_fixed;
    if (!is_fixed) scene.planned.rule = eval::Rule::kSampling;
    scene.judge.needs_expected = is_fixed;
    CHECK(scene.run().status == Status::PASSED);
    REQUIRE_FALSE(scene.quiet_after_reference.empty());
    CHECK(scene.quiet_after_reference.front() ==
          (is_fixed ? 1 : 0));  // the one that makes the expected output
    CHECK(scene.reference.calls_made > 1);
  }
}

TEST_CASE("on a GPU the reference makes its calls in batches, the first ones of a call each") {
  Scene scene;
  scene.use_cuda();
  CHECK(scene.run().status == Status::PASSED);
  const std::size_t all = scene.judge.compared.size();
  CHECK(scene.judge.attached[0].places == 64);
  CHECK(scene.judge.attached[1].places == 1);
  // One call that shows what a call costs, one that shows what it does, and all that are left, a few at a
  // time.
  REQUIRE(all == 21);
  CHECK(scene.judge.batches[kReferenceDoor] == std::vector<std::size_t>{1, 1, 4, 4, 4, 4, 3});
  CHECK(scene.judge.filled[kReferenceDoor] == sets_of("own", 0, all));
  CHECK(scene.reference.batches == std::vector<std::uint32_t>{1, 1, 4, 4, 4, 4, 3});

  Scene later;  // when enough is known of what a call takes beside the work
  later.use_cuda();
  later.judged.reference_calls.assign(8, fakes::call_of(1));
  CHECK(later.run().status == Status::PASSED);
  CHECK(later.reference.batches == std::vector<std::uint32_t>{1, 1, 19});
}

TEST_CASE("on a GPU no more of the reference's calls are timed than its time takes to be known") {
  using Timed = std::vector<std::uint32_t>;
  const auto run = [](const std::function<void(Scene&)>& prepare) {
    Scene scene;
    scene.use_cuda();
    scene.use_noise();
    scene.judged.reference_calls.assign(8, fakes::call_of(1));
    prepare(scene);
    const auto m = scene.run();
    CHECK(m.status == Status::PASSED);
    CHECK(scene.reference.calls_made == static_cast<int>(scene.judge.compared.size()));
    return std::pair{scene.reference.timed_in_batches, m.reference_ms.size()};
  };
  CHECK(run([](Scene&) {}) == std::pair{Timed{1, 1, 16}, std::size_t{16}});  // the first two are cold
  // Where the solution needs more calls, one of each batch tells whether the reference is what it was.
  const auto [timed, times] = run([&](Scene& scene) {
    scene.worker.times = [](std::size_t n, worker::Clock) { return fakes::call_of(n % 2 == 0 ? 1 : 1.2); };
  });
  REQUIRE(timed.size() > 10);
  CHECK(timed[2] == 16);
  CHECK(std::all_of(timed.begin() + 3, timed.end(), [](auto count) { return count == 1; }));
  CHECK(times == 16 + timed.size() - 3);
  // As many are as it takes where it is noisy itself, or as somebody has asked for.
  const auto noisy =
      run([](Scene& scene) { scene.reference.factor = [](int n) { return n % 2 == 0 ? 1 : 1.3; }; });
  REQUIRE(noisy.first.size() > 10);
  CHECK(noisy.first.back() > 1);
  const auto asked = run([](Scene& scene) { scene.config.iterations = 30; });
  CHECK(asked.first.at(2) == 30);
  CHECK(asked.second == 30);
  // None where nobody asks for its time, but those that tell what a call takes beside the work.
  CHECK(run([](Scene& scene) { scene.config.profile_baseline = false; }).first == Timed{1, 1, 1});
}

TEST_CASE("as many sets are at the reference's door as 4 GiB of a device hold, or 4 MiB of the host") {
  const auto places_of = [](std::uint64_t bytes) {
    Scene scene;
    scene.use_cuda();
    scene.judged.opened.layout.input_bytes = bytes;
    CHECK(scene.run().status == Status::PASSED);
    return scene.judge.attached.at(0).places;
  };
  CHECK(places_of((std::uint64_t{256} << 20U) - 256) == 16);
  CHECK(places_of(std::uint64_t{2400} << 20U) == 1);
  Scene on_cpu;
  CHECK(on_cpu.run().status == Status::PASSED);
  CHECK(on_cpu.judge.attached.at(0).places == 1);
  Scene native;
  native.device.kind = model::DeviceKind::cuda;
  native.judged.opened.layout.input_bytes = (std::uint64_t{1} << 20U) - 256;
  CHECK(native.run().status == Status::PASSED);
  CHECK_FALSE(native.judge.attached.at(0).on_device);
  CHECK(native.judge.attached.at(0).places == 4);
}

// Like a solution's calls, those come after the judge has used the device.
TEST_CASE("what a call takes beside the work is what the reference's first calls of a batch take") {
  Scene scene;
  scene.use_cuda();
  scene.reference.first_prepare_ns = 3 * fakes::kMs;
  const auto m = scene.run();
  REQUIRE(m.overhead);
  CHECK(m.overhead->prepare_ms == 3);
}

TEST_CASE("where the reference's calls are all first ones, those tell what a call takes beside the work") {
  Scene few;
  few.config.iterations = few.config.num_trials = 1;
  few.config.warmup_runs = 0;
  CHECK(few.run().overhead);
  CHECK(few.judged.reference_calls.empty());
  // Also where nobody asks for its outputs or its time; on a GPU something is assumed then.
  for (const bool on_gpu : {false, true}) {
    Scene untimed;
    if (on_gpu) untimed.use_cuda();
    untimed.planned.rule = eval::Rule::kSampling;
    untimed.judge.needs_expected = false;
    untimed.config.profile_baseline = false;
    const auto m = untimed.run();
    REQUIRE(m.overhead);
    CHECK((m.overhead->collect_ms >= 1) == on_gpu);  // assumed
    CHECK(untimed.reference.calls_made == (on_gpu ? 0 : 1));
  }
}

TEST_CASE("where few expected outputs fit, no more are made ahead") {
  for (const std::size_t most : {1, 2, 5}) {
    Scene scene;
    scene.judge.most_kept = most;
    scene.config.memory_budget_bytes = most * scene.judged.opened.layout.output_bytes;
    CHECK(scene.run().status == Status::PASSED);
    CHECK(scene.reference.calls_made == static_cast<int>(kCalls));
  }
}

TEST_CASE("large outputs are made a few at a time, whatever the budget allows") {
  Scene scene;
  scene.judged.opened.layout.output_bytes = std::uint64_t{200} << 20U;
  scene.config.memory_budget_bytes = std::uint64_t{1} << 40U;
  scene.judge.most_kept = 2;
  scene.worker.times = [](std::size_t, worker::Clock) { return fakes::call_of(100); };
  CHECK(scene.run().status == Status::PASSED);
}

TEST_CASE("looks by a second clock need expected outputs too") {
  for (const std::size_t most : {1, 2, 3, 5}) {
    Scene scene;
    scene.use_cuda();
    scene.judge.most_kept = most;
    scene.config.memory_budget_bytes = most * scene.judged.opened.layout.output_bytes;
    const auto m = scene.run();
    CHECK(m.status == Status::PASSED);
    CHECK(m.witness_ms.size() == 6);
  }
}

TEST_CASE("a reference that is too slow for every solution's own sets makes them once, for all") {
  Scene scene;
  scene.config.call_budget_s = 2;
  scene.reference.call_ms = 400;
  const auto first = scene.run();
  CHECK(first.status == Status::PASSED);
  CHECK(first.plan.too_dear);
  CHECK(first.sets_shared);
  auto expected = sets_of("own", 0, 2);
  for (const auto& set : sets_of("", 2, 10)) expected.push_back(set);
  CHECK(scene.judge.compared == expected);
  CHECK(scene.reference.calls_made == 10);

  // The next solution begins with the shared ones, and needs only those that are not there yet.
  scene.planned.set_owner = "another";
  scene.judge.compared.clear();
  const auto second = scene.run();
  CHECK(second.status == Status::PASSED);
  CHECK(second.plan.too_dear);
  CHECK(second.sets_shared);
  expected = sets_of("", 0, 10);
  expected.push_back({"another", 10});
  CHECK(scene.judge.compared == expected);
  CHECK(scene.reference.calls_made == 13);
  CHECK(second.reference_ms.size() <= 5);
}

TEST_CASE("a solution that is slow itself takes its own sets from no other") {
  Scene scene;
  scene.config.call_budget_s = 2;
  scene.worker.times = [](std::size_t, worker::Clock) { return fakes::call_of(400); };
  const auto slow = scene.run();
  CHECK(slow.plan.too_dear);
  CHECK_FALSE(slow.sets_shared);

  scene.worker.times = [](std::size_t, worker::Clock) { return fakes::call_of(1); };
  scene.planned.set_owner = "another";
  const auto next = scene.run();
  CHECK_FALSE(next.plan.too_dear);
  CHECK_FALSE(next.sets_shared);
}

TEST_CASE("what is faster on inputs that other solutions had before is measured on inputs of its own") {
  const auto second_of = [](Scene& scene) {
    scene.config.call_budget_s = 2;
    scene.reference.call_ms = 400;
    CHECK(scene.run().sets_shared);
    scene.planned.set_owner = "another";
    scene.judge.compared.clear();
    scene.worker.clocks.clear();
  };
  Scene told;
  second_of(told);
  told.worker.times = [&](std::size_t, worker::Clock) {
    return fakes::call_of(told.judge.filled.rbegin()->second.back().owner.empty() ? 0.1 : 4);
  };
  const auto m = told.run();
  CHECK(m.status == Status::PASSED);
  CHECK_FALSE(m.sets_shared);
  CHECK(m.trials_ms == std::vector<std::vector<double>>{{4, 4, 4}});
  CHECK_THAT(m.note, Catch::Contains("had before it took 0.1 ms a call, on inputs of its own it takes 4 ms"));
  CHECK(told.judge.compared.size() == 15);  // ten on shared sets, one, and four

  // Also where the judge keeps the outputs of one call only.
  Scene large;
  large.config.memory_budget_bytes = 1;
  second_of(large);
  large.worker.times = [&](std::size_t, worker::Clock) {
    return fakes::call_of(large.judge.filled.rbegin()->second.back().owner.empty() ? 0.1 : 4);
  };
  CHECK(large.run().trials_ms == m.trials_ms);

  // A call that is slow by chance, after the pause that a reference takes, changes nothing.
  Scene unlucky;
  second_of(unlucky);
  unlucky.worker.times = [](std::size_t call, worker::Clock) { return fakes::call_of(call == 11 ? 9 : 1); };
  const auto same = unlucky.run();
  CHECK(same.status == Status::PASSED);
  CHECK(same.sets_shared);
  for (const auto& trial : same.trials_ms) CHECK(trial == std::vector<double>(trial.size(), 1));
  CHECK(same.note.find("inputs of its own") == std::string::npos);
}

TEST_CASE("where no input is random there is one set, and the reference is timed by further calls") {
  Scene scene;
  scene.judged.opened.inputs_fixed = true;
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.inputs_fixed);
  CHECK(m.sets == 1);
  CHECK(scene.judge.compared == std::vector<SetId>(kCalls, SetId{}));
  CHECK(scene.judge.kept.size() == 1);
  CHECK(scene.reference.calls_made == 6);
  CHECK(m.reference_ms == std::vector<double>(4, 2));  // two of them are cold
  CHECK(m.reference_is_shared);

  // The next solution needs none of it again.
  scene.planned.set_owner = "another";
  CHECK(scene.run().status == Status::PASSED);
  CHECK(scene.reference.calls_made == 6);
}

TEST_CASE("a reference whose outputs nobody needs is timed by a few calls, or not at all") {
  Scene scene;
  scene.planned.rule = eval::Rule::kSampling;
  scene.judge.needs_expected = false;
  CHECK(scene.run().reference_ms == std::vector<double>(3, 2));
  CHECK(scene.judge.kept.empty());
  CHECK(scene.reference.calls_made == 5);

  SECTION("a slow one by as many as half of the budget allows") {
    Scene slow;
    slow.planned.rule = eval::Rule::kSampling;
    slow.judge.needs_expected = false;
    slow.reference.call_ms = 2000;
    slow.config.call_budget_s = 5;
    CHECK(slow.run().reference_ms == std::vector<double>{2000});
    CHECK(slow.reference.calls_made == 1);
  }
}

TEST_CASE("where a GPU is busy with other work whenever the reference is called there is no verdict") {
  const auto busy_at = [](const std::function<bool(int look)>& is_busy) {
    auto scene = std::make_unique<Scene>();
    scene->use_cuda();
    scene->judge.is_idle = [is_busy](int look) { return !is_busy(look); };
    return scene;
  };
  const auto busy = busy_at([](int) { return true; });
  CHECK_THROWS_AS(busy->run(), bench::NoVerdict);
  CHECK(busy->judged.reference_calls.empty());  // they do not tell what a call takes beside the work either
  // It is waited for once: 20 looks, then one before each batch.
  CHECK(busy->judge.looks_around == 20 + static_cast<int>(busy->reference.batches.size()) - 1);
  CHECK(busy->reference.batches.size() < 10);  // of 21 calls
  // What begins behind the look before the calls, and is there at the one after them.
  CHECK_THROWS_AS(busy_at([](int look) { return look % 2 == 0; })->run(), bench::NoVerdict);
  // Work that ends in a while, and work that is there in one batch of many.
  for (const auto& scene :
       {busy_at([](int look) { return look <= 5; }), busy_at([](int look) { return look == 12; })}) {
    const auto m = scene->run();
    CHECK(m.status == Status::PASSED);
    CHECK_FALSE(m.reference_ms.empty());
    CHECK(m.overhead);
    CHECK(m.note.empty());
  }
}

TEST_CASE("what is done around calls on a GPU is added, too, where no reference runs there") {
  const auto added = [](double collect_ms) {
    Scene scene;
    scene.use_cuda();
    scene.reference.is_on_device = false;
    scene.worker.beside = [collect_ms](worker::Clock) {
      worker::CallTimes::Beside beside;
      beside.collect_ns = static_cast<std::int64_t>(1e6 * collect_ms);
      return beside;
    };
    const auto m = scene.run();
    CHECK(m.status == Status::PASSED);
    return m.added_ms.at(0);
  };
  CHECK(added(1) == 0);
  CHECK(added(25) == Approx(24).epsilon(0.01));
}

TEST_CASE("nobody looks whether a GPU is idle where the reference does not run there") {
  Scene host;
  host.use_cuda();
  host.reference.is_on_device = false;
  CHECK(host.run().status == Status::PASSED);
  CHECK(host.judge.looks_around == 0);
  Scene cpu;
  CHECK(cpu.run().status == Status::PASSED);
  CHECK(cpu.judge.looks_around == 0);
}
