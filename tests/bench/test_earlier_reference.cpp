#include <catch2/catch.hpp>

#include "bench/earlier_reference.h"
#include "util/clock.h"

// Which time of a reference that was measured before may stand for one that would be measured now.
using namespace fib;

namespace {

constexpr const char* kStarted = "2026-03-17T14:00:00+00:00";
constexpr std::int64_t kMinuteUs = 60'000'000;

struct Scene {
  model::Definition definition;
  model::Workload workload;
  model::Solution solution;
  bench::PlannedEvaluation planned{0, &definition, &solution, &workload};
  bench::RunConfig config;
  bench::Environment environment;
  model::MeasurementRecord record;
  model::Status status = model::Status::PASSED;
  std::int64_t now_us = *util::parse_timestamp(kStarted) + kMinuteUs;

  Scene() {
    definition.name = "add";
    workload.uuid = "w1";
    workload.axes.emplace_back("n", 5);
    bench::LaneDevice device;
    device.kind = model::DeviceKind::cuda;
    device.name = "GPU";
    device.uuid = "GPU-1";
    environment.devices = {device};
    environment.python = compile::PythonInterpreter{"/usr/bin/python3", "3.12.3", ""};
    environment.python->packages["torch"] = "2.11.0";
    record.definition_sha256 = model::content_sha256(definition);
    record.version = "1.0";
    record.config = to_json(config);
    record.device.emplace().kind = "cuda";
    record.device->uuid = "GPU-1";
    record.started_utc = kStarted;
    auto& reference = record.reference.emplace();
    reference.engine = "Python 3.12.3, torch 2.11.0+cu130";
    reference.latency_ms = 0.5;
    reference.n = 10;
  }

  [[nodiscard]] std::optional<model::RecordedReference> found() const {
    model::Trace trace;
    trace.definition = "add";
    trace.workload.uuid = "w1";
    trace.workload.axes.emplace_back("n", 5);
    auto& evaluation = trace.evaluation.emplace();
    evaluation.status = status;
    evaluation.environment.hardware = "GPU";
    evaluation.performance.emplace().reference_latency_ms = 0.5;
    evaluation.fib = to_json(record);
    return bench::earlier_reference(trace, planned, config, environment, "1.0", now_us);
  }
};

}  // namespace

TEST_CASE("a time that torch took on this device a minute ago stands for one that is measured now") {
  const Scene scene;
  const auto found = scene.found();
  REQUIRE(found);
  CHECK(found->latency_ms == 0.5);
  CHECK(found->n == 10);
  CHECK(found->timed_by == "Python 3.12.3, torch 2.11.0+cu130");
  CHECK(found->timed_utc == kStarted);
}

TEST_CASE("no time stands for that of another work, machine, program or setting") {
  Scene scene;
  SECTION("definition") { scene.definition.reference = "def run(a): return a"; }
  SECTION("workload") { scene.workload.uuid = "w2"; }
  SECTION("sizes") { scene.workload.axes.front().second = model::Integer{7}; }
  SECTION("card") { scene.environment.devices.front().uuid = "GPU-2"; }
  SECTION("hardware") { scene.environment.devices.front().name = "CPU"; }
  SECTION("kind of device") { scene.record.device->kind = "cpu"; }
  SECTION("several devices") { scene.environment.devices.push_back(scene.environment.devices.front()); }
  SECTION("Python") { scene.environment.python->version = "3.13.0"; }
  SECTION("torch") { scene.environment.python->packages["torch"] = "2.12.0"; }
  SECTION("no torch") { scene.environment.python->packages.clear(); }
  SECTION("no Python") { scene.environment.python.reset(); }
  SECTION("fib") { scene.record.version = "0.9"; }
  SECTION("flush") { scene.config.flush = worker::Flush::kNone; }
  SECTION("clock") { scene.config.clock = bench::ClockChoice::kEvents; }
  SECTION("not asked for") { scene.config.profile_baseline = false; }
  CHECK_FALSE(scene.found());
}

TEST_CASE("no time stands that was not measured well, then, by torch") {
  Scene scene;
  SECTION("failed") { scene.status = model::Status::RUNTIME_ERROR; }
  SECTION("slow") { scene.record.reference->latency_ms = 1.1; }
  SECTION("few calls") { scene.record.reference->n = 9; }
  SECTION("the native engine's") { scene.record.reference->engine = "native"; }
  SECTION("known from a try before") { scene.record.reference->timed_utc = kStarted; }
  SECTION("made inputs") { scene.record.synthesized = std::vector<std::string>{"a"}; }
  SECTION("old") { scene.now_us += 60 * kMinuteUs; }
  SECTION("from the future") { scene.now_us -= 2 * kMinuteUs; }
  CHECK_FALSE(scene.found());
}

TEST_CASE("a try of fewer calls takes a time of as few") {
  Scene scene;
  scene.record.reference->n = 3;
  scene.config.iterations = 3;
  CHECK(scene.found());
  scene.config.iterations = 4;
  CHECK_FALSE(scene.found());
}
