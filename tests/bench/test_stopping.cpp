#include <catch2/catch.hpp>

#include "bench/fakes.h"

// When an evaluation has made enough calls.
using namespace fib;
using bench::EndedBy;
using fakes::Scene;
using model::Status;

namespace {

// Of the call number n: 1 ms, and every other one longer by this share.
std::function<worker::CallTimes(std::size_t, worker::Clock)> noisy_by(double share) {
  return [share](std::size_t n, worker::Clock) { return fakes::call_of(n % 2 == 0 ? 1 : 1 + share); };
}

}  // namespace

TEST_CASE("a quiet solution has three trials of ten timed calls") {
  Scene scene;
  scene.use_noise();
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.trials_ms == std::vector<std::vector<double>>(3, std::vector<double>(10, 1)));
  CHECK(m.plan.trials == 3);
  CHECK(m.plan.warmup == 2);
  CHECK(m.ended_by == EndedBy::kNoise);
  // One more is on smaller inputs, by this secret, and does not count.
  CHECK(scene.worker.clocks.size() == 33);
  CHECK(scene.reference.calls_made == 33);
}

TEST_CASE("a noisy one has fifteen at most") {
  Scene scene;
  scene.use_noise();
  scene.worker.times = noisy_by(0.2);
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.trials_ms.size() == 15);
  CHECK(m.plan.trials == 15);
  CHECK(m.ended_by == EndedBy::kMostCalls);
}

TEST_CASE("--noise says how much is little") {
  Scene scene;
  scene.use_noise(0.15);
  scene.worker.times = noisy_by(0.2);
  const auto m = scene.run();
  CHECK(m.trials_ms.size() == 3);
  CHECK(m.ended_by == EndedBy::kNoise);
}

TEST_CASE("a drift from trial to trial is noise, though the calls of each trial are equal") {
  Scene scene;
  scene.use_noise();
  scene.worker.times = [](std::size_t n, worker::Clock) { return fakes::call_of(n <= 12 ? 1.1 : 1); };
  const auto m = scene.run();
  CHECK(m.trials_ms.size() > 3);
  CHECK(m.trials_ms.size() < 15);
  CHECK(m.ended_by == EndedBy::kNoise);
}

TEST_CASE("a noisy reference is called until it is known as well, where a speedup is made of it") {
  const auto noisy = [](int n) { return n % 2 == 0 ? 1 : 1.3; };
  Scene scene;
  scene.use_noise();
  scene.reference.factor = noisy;
  const auto m = scene.run();
  CHECK(m.trials_ms.size() == 15);
  CHECK(m.ended_by == EndedBy::kMostCalls);
  CHECK(m.reference_ms.size() == 150);

  Scene without;
  without.use_noise();
  without.reference.factor = noisy;
  without.config.profile_baseline = false;
  CHECK(without.run().trials_ms.size() == 3);

  Scene elsewhere;
  elsewhere.use_noise();
  elsewhere.use_cuda();
  elsewhere.reference.is_on_device = false;
  elsewhere.reference.factor = noisy;
  CHECK(elsewhere.run().trials_ms.size() == 3);
}

TEST_CASE("calls that are judged together are as many as that takes, where trials can be so many") {
  Scene scene;
  scene.use_noise();
  scene.judged.opened.calls_wanted = 70;
  CHECK(scene.run().trials_ms.size() == 7);
  Scene more;
  more.use_noise();
  more.judged.opened.calls_wanted = 200;
  CHECK(more.run().trials_ms.size() == 15);
}

TEST_CASE("a solution that is slow where nobody times it gets no verdict by too few calls") {
  const auto make = [](double further_ms, bool claims_it) {
    auto scene = std::make_unique<Scene>();
    scene->use_noise();
    scene->judged.opened.calls_wanted = 2000;
    scene->config.call_budget_s = 3;
    scene->worker.times = [=](std::size_t n, worker::Clock) {
      auto times = fakes::call_of(1);
      if (n <= 190) return times;
      if (claims_it) times = fakes::call_of(further_ms);
      times.envelope_ns = static_cast<std::int64_t>(further_ms * fakes::kMs);
      return times;
    };
    return scene;
  };
  for (const bool claims_it : {true, false}) {
    CHECK_THROWS_WITH(make(60, claims_it)->run(), Catch::Contains("far longer than those before"));
    CHECK_THROWS_WITH(make(5000, claims_it)->run(), Catch::Contains("far longer than those before"));
  }
  CHECK(make(2, true)->run().status == Status::PASSED);
}

TEST_CASE("no evaluation ends early while the coordinator's clock sees more than is claimed") {
  Scene scene;
  scene.use_noise();
  scene.worker.times = [](std::size_t, worker::Clock) {
    auto times = fakes::call_of(1);
    times.envelope_ns += 2 * fakes::kMs;
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::RUNTIME_ERROR);
  CHECK(m.trials_ms.size() == 15);
}

TEST_CASE("an evaluation ends by the times that are recorded, not by what the worker claims") {
  // Every claim is equal; the host takes a millisecond to queue the calls of some trials, which may have been
  // work.
  Scene scene;
  scene.use_noise();
  scene.use_cuda();
  scene.worker.times = [](std::size_t n, worker::Clock) {
    auto times = fakes::call_of(1);
    if (n <= 20) {  // all of the first trial, looks included
      times.done.host_ns = fakes::kMs;
      times.envelope_ns += fakes::kMs;
    }
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(*std::max_element(m.added_ms.begin(), m.added_ms.end()) > 0.9);
  CHECK(m.trials_ms.size() > 3);
}

TEST_CASE("the reference is known as well as the times that are recorded want, not as claims would") {
  // A claim of 5 us is known well enough within 3.5 %, what is recorded within 0.5 %. By the claims nobody
  // would time more than one of a batch of the reference's calls.
  Scene scene;
  scene.use_noise();
  scene.use_cuda();
  scene.judged.reference_calls.assign(8, fakes::call_of(1));
  scene.reference.factor = [](int n) { return n % 2 == 0 ? 1 : 1.03; };
  scene.worker.times = [](std::size_t, worker::Clock) {
    auto times = fakes::call_of(0.005);
    times.done.host_ns = fakes::kMs;
    times.envelope_ns += fakes::kMs;
    return times;
  };
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.added_ms.front() > 0.9);
  const auto& timed = scene.reference.timed_in_batches;
  REQUIRE(timed.size() > 5);
  CHECK(std::all_of(timed.begin() + 2, timed.end() - 1, [](auto count) { return count > 1; }));
}

TEST_CASE("an evaluation that fails says how many trials were begun") {
  Scene scene;
  scene.use_noise();
  scene.judge.judgement = [](std::size_t n) { return eval::Judgement{n <= 15, 0, 0, 1, "wrong"}; };
  const auto m = scene.run();
  CHECK(m.status == Status::INCORRECT_NUMERICAL);
  CHECK(m.plan.trials == 2);
  const auto fib = bench::make_evaluation(m, scene.planned, scene.config, {}, "now").fib;
  CHECK(fib.at("interval").is_null());
}

TEST_CASE("calls that take long end with the budget, and say so") {
  Scene scene;
  scene.use_noise();
  scene.config.call_budget_s = 0.3;
  scene.reference.call_ms = 4;
  scene.worker.times = noisy_by(0.2);
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.trials_ms.size() == 5);  // 10 calls of a little more than 5 ms each: a sixth one does not quite fit
  CHECK(m.ended_by == EndedBy::kBudget);
}

TEST_CASE("calls that were asked for are made, however quiet they are") {
  Scene scene;
  const auto m = scene.run();
  CHECK(m.trials_ms.size() == 2);
  CHECK(m.ended_by == EndedBy::kIterations);
  Scene slow;
  slow.config.call_budget_s = 0.04;
  CHECK(slow.run().ended_by == EndedBy::kBudget);
}

TEST_CASE("a quiet solution is looked at as often as one whose calls were asked for") {
  Scene scene;
  scene.use_noise();
  scene.use_cuda();
  const auto m = scene.run();
  CHECK(m.status == Status::PASSED);
  CHECK(m.trials_ms.size() == 3);
  CHECK(m.witness_ms.size() == 9);
}

TEST_CASE("the trace says which rule ended the evaluation, and what its interval is") {
  const auto record = [](Scene& scene) {
    const auto m = scene.run();
    return bench::make_evaluation(m, scene.planned, scene.config, {}, "now").fib;
  };
  Scene quiet;
  quiet.use_noise();
  const auto fib = record(quiet);
  CHECK(fib.at("calls") ==
        nlohmann::ordered_json{{"trials", 3}, {"warmup", 2}, {"timed", 10}, {"ended_by", "noise"}});
  CHECK(fib.at("config").at("noise") == 0.005);
  const auto& interval = fib.at("interval");
  CHECK(interval.at("calls_ms") == 0);
  CHECK(interval.at("trials_ms") == 0);
  CHECK(interval.at("low_ms") == Approx(1 - interval.at("processes_ms").get<double>()));
  CHECK(interval.at("high_ms") == Approx(1 + interval.at("processes_ms").get<double>()));
  Scene asked;
  CHECK(record(asked).at("calls").at("ended_by") == "iterations");
}

TEST_CASE("calls that take longer than they claim on a GPU with work of others are no verdict") {
  const auto make = [](bool is_idle, bool claims_all) {
    auto scene = std::make_unique<Scene>();
    scene->use_noise();
    scene->use_cuda();
    scene->judge.is_idle = [is_idle](int) { return is_idle; };
    scene->worker.times = [claims_all](std::size_t, worker::Clock) {
      auto times = fakes::call_of(1);
      if (!claims_all) times.envelope_ns += fakes::kMs;
      return times;
    };
    return scene;
  };
  CHECK_THROWS_WITH(make(false, false)->run(), Catch::Contains("other work keeps the GPU busy"));
  CHECK(make(true, false)->run().added_ms.front() > 0.9);
  const auto elsewhere = make(false, true);  // nobody looks, for there is no speedup to be had
  elsewhere->reference.is_on_device = false;
  CHECK(elsewhere->run().status == Status::PASSED);
}
