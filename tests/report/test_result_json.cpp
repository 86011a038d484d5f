#include <catch2/catch.hpp>

#include "model/measurement_record.h"
#include "report/details.h"
#include "report/result_json.h"
#include "report/try_summary.h"

using namespace fib;

namespace {

// 4 * 1000 bytes in, 4 * 1000 bytes out.
model::Definition copy_definition() {
  return model::parse_definition(R"({"name": "copy", "op_type": "copy", "axes": {"n": {"type": "var"}},
      "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
      "outputs": {"y": {"shape": ["n"], "dtype": "float32"}}, "reference": "def run(x): return x"})");
}

model::Trace passed(const std::string& hardware, double latency_ms) {
  model::Trace trace;
  trace.definition = "copy";
  trace.solution = "s";
  trace.workload.uuid = "u";
  trace.workload.axes = {{"n", model::Integer{1'000'000}}};
  auto& evaluation = trace.evaluation.emplace();
  evaluation.status = model::Status::PASSED;
  evaluation.environment.hardware = hardware;
  auto& performance = evaluation.performance.emplace();
  performance.latency_ms = latency_ms;
  performance.speedup_factor = 2;
  return trace;
}

}  // namespace

TEST_CASE("a result says how near to the device's limit it is") {
  const auto definition = copy_definition();
  // 8 MB at 4.8 TB/s: 1.667 us.
  const auto trace = passed("NVIDIA H200", 0.01);
  const auto roofline = report::result_json(trace, definition).at("roofline");
  CHECK(roofline.at("bytes") == 8e6);
  CHECK(roofline.at("flops").is_null());
  CHECK(roofline.at("bytes_per_s") == Approx(8e11));
  CHECK(roofline.at("bound_ms") == Approx(8e6 / 4.8e12 * 1e3));
  CHECK(roofline.at("binds") == "memory");
  CHECK(roofline.at("share") == Approx(8e6 / 4.8e12 * 1e3 / 0.01));
}

TEST_CASE("what is not known of a limit is null") {
  const auto definition = copy_definition();
  const auto on_cpu = report::result_json(passed("Some CPU", 0.01), definition).at("roofline");
  CHECK(on_cpu.at("bytes") == 8e6);
  CHECK(on_cpu.at("bound_ms").is_null());
  CHECK(on_cpu.at("share").is_null());
  auto failed = passed("NVIDIA H200", 0.01);
  failed.evaluation->status = model::Status::RUNTIME_ERROR;
  failed.evaluation->performance.reset();
  const auto of_failed = report::result_json(failed, definition).at("roofline");
  CHECK(of_failed.at("bytes_per_s").is_null());
  CHECK(of_failed.at("share").is_null());
  auto wrong_axes = passed("NVIDIA H200", 0.01);
  wrong_axes.workload.axes.clear();
  CHECK(report::result_json(wrong_axes, definition).at("roofline").is_null());
}

TEST_CASE("a result has what its kernels take") {
  auto trace = passed("NVIDIA H200", 0.01);
  CHECK(report::result_json(trace, copy_definition()).at("resources").is_null());
  model::MeasurementRecord record;
  auto& kernel = record.resources.emplace().emplace_back();
  kernel.name = "copy_kernel";
  kernel.registers = 16;
  trace.evaluation->fib = model::to_json(record);
  const auto resources = report::result_json(trace, copy_definition()).at("resources");
  REQUIRE(resources.size() == 1);
  CHECK(resources[0].at("name") == "copy_kernel");
  CHECK(resources[0].at("registers") == 16);
}

TEST_CASE("a try says of its kernels what they take, for people") {
  auto trace = passed("NVIDIA H200", 0.01);
  CHECK(report::kernel_lines(trace).empty());
  model::MeasurementRecord record;
  auto& kernel = record.resources.emplace().emplace_back();
  kernel.name = "copy\x1b[31m";
  kernel.share = 0.75;
  kernel.block = {{128, 2, 1}};
  kernel.registers = 78;
  kernel.static_shared_bytes = 4096;
  kernel.local_bytes = 16;
  kernel.occupancy = 0.375;
  kernel.occupancy_limits = {{"registers"}};
  trace.evaluation->fib = model::to_json(record);
  const auto lines = report::kernel_lines(trace);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find('\x1b') == std::string::npos);
  CHECK(
      lines[0].ends_with(": 75% of the time, 256 threads, 78 registers, 4 KiB shared memory, 16 B local "
                         "memory a thread, occupancy "
                         "38% (limited by registers)"));
  record.resources->assign(5, kernel);
  trace.evaluation->fib = model::to_json(record);
  const auto many = report::kernel_lines(trace);
  REQUIRE(many.size() == 4);
  CHECK(many[3] == "and 2 more kernels");
}

TEST_CASE("an error of 0 is none where nothing could be compared") {
  model::Evaluation evaluation;
  evaluation.correctness = model::Correctness{};
  evaluation.status = model::Status::INCORRECT_NUMERICAL;
  CHECK_FALSE(report::told_error(evaluation, &model::Correctness::max_absolute_error));
  evaluation.correctness->max_absolute_error = 0.5;
  CHECK(report::told_error(evaluation, &model::Correctness::max_absolute_error) == 0.5);
  CHECK_FALSE(report::told_error(evaluation, &model::Correctness::max_relative_error));
  evaluation.status = model::Status::PASSED;
  CHECK(report::told_error(evaluation, &model::Correctness::max_relative_error) == 0.0);
  evaluation.correctness.reset();
  CHECK_FALSE(report::told_error(evaluation, &model::Correctness::max_absolute_error));
}

TEST_CASE("all that may be known of a result is there, null where it is not known") {
  auto trace = passed("NVIDIA H200", 0.01);
  trace.evaluation->fib = nlohmann::ordered_json::parse(
      R"({"failure":{"code":"wrong_values","mismatch":{"output":"y"}},"durations":{"build_ms":3}})");
  const auto result = report::result_json(trace, copy_definition());
  CHECK(result.at("durations").dump() ==
        R"({"build_ms":3.0,"load_ms":null,"evaluate_ms":null,"run_ms":null,"judge_ms":null,)"
        R"("reference_ms":null,"time_ms":null})");
  const auto& failure = result.at("failure");
  CHECK(failure.at("code") == "wrong_values");
  CHECK(failure.at("diagnostics").is_null());
  CHECK(failure.at("mismatch").at("output") == "y");
  CHECK(failure.at("mismatch").at("pattern").is_null());
  CHECK(result.at("resources").is_null());
  CHECK(result.at("baseline").is_null());
}

TEST_CASE("a result says what of it was cut") {
  auto trace = passed("NVIDIA H200", 0.01);
  CHECK(report::result_json(trace, copy_definition()).at("truncated").empty());
  trace.evaluation->log = "0123456789";
  trace.evaluation->fib = nlohmann::ordered_json::parse(
      R"({"resources":[],"resources_cut":true,"failure":{"diagnostics_cut":true}})");
  const auto result = report::result_json(trace, copy_definition(), 4);
  CHECK(result.at("log") == "6789");
  CHECK(result.at("truncated").dump() == R"(["resources","diagnostics","log"])");
  // When the trace was written.
  trace.evaluation->fib = nlohmann::ordered_json::parse(R"({"truncated":["log"]})");
  CHECK(report::result_json(trace, copy_definition()).at("truncated").dump() == R"(["log"])");
}

TEST_CASE("a result tells what to do next, what a reward may be made of, and which question it answers") {
  auto trace = passed("NVIDIA H200", 0.01);
  trace.evaluation->fib = nlohmann::ordered_json::parse(
      R"({"reference":{"engine":"native","device":"cpu"},"request_digest":"ab","environment_digest":"cd",)"
      R"("hint":"Rest.","reward_components":{"built":true,"correct":1,"speedup":2,"violation":false}})");
  const auto result = report::result_json(trace, copy_definition());
  CHECK(result.at("reward_components").dump() ==
        R"({"built":true,"correct":1.0,"speedup":2.0,"share_of_bound":null,"violation":false})");
  CHECK(result.at("hint") == "Rest.");
  CHECK(result.at("request_digest") == "ab");
  CHECK(result.at("environment_digest") == "cd");
  CHECK(result.at("baseline").dump() == R"({"name":"reference","engine":"native","device":"cpu"})");
}
