#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "bench/measurement.h"
#include "compile/torch_headers.h"
#include "eval/statistics.h"
#include "model/measurement_record.h"

using namespace fib;

namespace {

struct Planned {
  model::Definition definition;
  model::Workload workload;
  model::Solution solution = model::parse_solution(
      R"({"name": "s", "definition": "d", "author": "a", "spec": {"language": "cpp", "target_hardware": ["cpu"],
      "entry_point": "a.cpp::run"}, "sources": [{"path": "a.cpp", "content": "x"}]})");
  bench::PlannedEvaluation planned{0, &definition, &solution, &workload};
};

bench::Measurement passed() {
  bench::Measurement m;
  m.status = model::Status::PASSED;
  m.trials_ms = {{1, 2, 9}, {4, 4, 4}, {6, 5, 70}};
  m.envelopes_ms = {1, 1, 1};
  m.unexplained_ms = {{0}, {0}, {0}};
  m.reference_ms = {8, 10, 30};
  m.output = "hello";
  return m;
}

model::Evaluation evaluate(const bench::Measurement& m, const bench::RunConfig& config = {}) {
  const Planned p;
  return bench::make_evaluation(m, p.planned, config, {"run", "build", "1.0", "CPU X", "cpu", {}, false},
                                "start");
}

}  // namespace

TEST_CASE("the record has the reference's calls in numbers, and whose they were") {
  auto m = passed();
  auto record = model::measurement_record(evaluate(m)).reference;
  REQUIRE(record);
  CHECK(record->latency_ms == 10);
  CHECK(record->n == 3);
  CHECK(record->q25_ms == 9);
  CHECK(record->q75_ms == 20);
  CHECK(record->sets == "own");
  m.reference_is_shared = true;
  CHECK(model::measurement_record(evaluate(m)).reference->sets == "shared");
  bench::RunConfig config;
  config.profile_baseline = false;
  CHECK_FALSE(model::measurement_record(evaluate(m, config)).reference->sets);
}

TEST_CASE("a time of the reference that was measured before stands for calls that were made now") {
  auto m = passed();
  m.engine = "native";
  m.reference_on_cuda = true;  // and the solution is not
  CHECK(evaluate(m).performance->speedup_factor == 0);
  auto& earlier = m.earlier_reference.emplace();
  earlier.latency_ms = 12;
  earlier.n = 30;
  earlier.timed_by = "Python 3.12.3, torch 2.11.0";
  earlier.timed_utc = "2026-03-17T14:00:00+00:00";
  const auto evaluation = evaluate(m);
  CHECK(evaluation.performance->reference_latency_ms == 12);
  CHECK(evaluation.performance->speedup_factor == Approx(12 / evaluation.performance->latency_ms));
  const auto record = model::measurement_record(evaluation).reference;
  REQUIRE(record);
  CHECK(record->engine == "native");
  CHECK(record->timed_by == earlier.timed_by);
  CHECK(record->timed_utc == earlier.timed_utc);
  CHECK(record->n == 30);
}

TEST_CASE("where the mean is the latency, the trace says so, and its interval is that of a mean") {
  auto m = passed();
  m.trials_ms = {{1, 1, 1, 6}, {1, 1, 1, 8}};
  const auto median = evaluate(m);
  CHECK(median.performance->latency_ms == 1);
  CHECK_FALSE(model::measurement_record(median).latency_is);
  m.latency_is_mean = true;
  const auto mean = evaluate(m);
  CHECK(mean.performance->latency_ms == 2.5);
  CHECK(mean.performance->speedup_factor == Approx(median.performance->speedup_factor / 2.5));
  const auto record = model::measurement_record(mean);
  CHECK(record.latency_is == "mean");
  CHECK(record.trial_medians_ms == std::vector<double>{1, 1});
  REQUIRE(record.interval);
  CHECK(record.interval->calls_ms == Approx(eval::mean_half_width({1, 1, 1, 6, 1, 1, 1, 8})));
}

TEST_CASE("each trace of a build has all of its diagnostics, whatever is left of its log") {
  const Planned p;
  bench::LogBudget logs;
  bench::Measurement m;
  m.status = model::Status::COMPILE_ERROR;
  m.failure = bench::FailureFacts{model::ErrorCode::compile_error};
  for (int line = 1; line <= 8; ++line)
    m.note += fmt::format("a.cpp:{}:1: error: no\n{}\n", line, std::string(5000, '-'));
  const auto record = [&] {
    const auto evaluation = bench::make_evaluation(m, p.planned, {}, {}, "start", &logs);
    return model::measurement_record(evaluation);
  };
  const auto first = record();
  REQUIRE(first.failure->diagnostics);
  CHECK(first.failure->diagnostics->size() == 8);
  CHECK(first.truncated == std::vector<std::string>());
  const auto second = record();
  REQUIRE(second.failure->diagnostics);
  CHECK(second.failure->diagnostics->size() == 8);
  CHECK(second.truncated == std::vector<std::string>{"log"});
}

TEST_CASE("the record names what the speedup compares with") {
  auto m = passed();
  m.engine = "Python";
  const auto timed = model::measurement_record(evaluate(m));
  REQUIRE(timed.baseline);
  CHECK(timed.baseline->name == "reference");
  CHECK(timed.baseline->engine == "Python");
  m.reference_ms.clear();
  CHECK_FALSE(model::measurement_record(evaluate(m)).baseline);
}

TEST_CASE(
    "a log is whole where there is room, and its end says why the evaluation failed where there is not") {
  const Planned p;
  bench::LogBudget logs;
  bench::Measurement m;
  m.status = model::Status::RUNTIME_ERROR;
  m.note = "call 1: the worker ended\n";
  const auto log = [&] { return bench::make_evaluation(m, p.planned, {}, {}, "start", &logs).log; };
  // What joins both parts and what stands for bytes that are no text is no reason to cut.
  m.output = "hello \xff";
  CHECK(log() == "hello \xef\xbf\xbd\n" + m.note);
  m.output = std::string(20'000, 'x');
  CHECK(log() == m.output + "\n" + m.note);
  (void)logs.take(p.solution, bench::LogBudget::kOfSolution);
  const std::string cut = log();
  CHECK(cut.size() < bench::LogBudget::kLeast + 100);
  CHECK(cut.starts_with("xxx"));
  CHECK(cut.find("x\n\n[log truncated: ") != std::string::npos);
  CHECK(cut.ends_with("x\n" + m.note));
}

TEST_CASE("latency is the mean of the trials' medians and speedup the reference's median over it") {
  const auto evaluation = evaluate(passed());
  REQUIRE(evaluation.performance);
  CHECK(evaluation.performance->latency_ms == 4);
  CHECK(evaluation.performance->reference_latency_ms == 10);
  CHECK(evaluation.performance->speedup_factor == 2.5);
  CHECK(evaluation.fib.at("n") == 9);
  CHECK(evaluation.fib.at("trial_medians_ms") == nlohmann::json({2, 4, 6}));
  CHECK(evaluation.environment.hardware == "CPU X");
  CHECK(evaluation.log == "hello");
  CHECK_FALSE(model::status_rule_violation(evaluation));
}

TEST_CASE("every status obeys the format's rule about correctness and performance") {
  for (const auto status :
       {model::Status::PASSED, model::Status::INCORRECT_SHAPE, model::Status::INCORRECT_NUMERICAL,
        model::Status::INCORRECT_DTYPE, model::Status::RUNTIME_ERROR, model::Status::COMPILE_ERROR,
        model::Status::TIMEOUT}) {
    auto m = passed();
    m.status = status;
    CHECK_FALSE(model::status_rule_violation(evaluate(m)));
  }
}

TEST_CASE("a result that passed has its roofline, with a bound where the device's limits are known") {
  Planned p;
  p.definition = model::parse_definition(
      R"({"name": "d", "op_type": "x", "axes": {"N": {"type": "const", "value": 1200}},
          "inputs": {"x": {"shape": ["N"], "dtype": "float32"}}, "outputs": {"y": {"shape": ["N"], "dtype": "float32"}},
          "reference": "def run(x):\n    return x"})");
  const auto roofline = [&](const bench::Measurement& m, const std::string& hardware) {
    const auto evaluation = bench::make_evaluation(
        m, p.planned, {}, {"run", "build", "1.0", hardware, "cpu", {}, false}, "start");
    return model::measurement_record(evaluation).roofline;
  };
  const auto m = passed();  // a latency of 4 ms
  const auto on_cpu = roofline(m, "CPU X");
  REQUIRE(on_cpu);
  CHECK(on_cpu->bytes == 9600);
  CHECK(on_cpu->bytes_per_s == 2'400'000);
  CHECK_FALSE(on_cpu->flops);
  CHECK_FALSE(on_cpu->bound_ms);
  CHECK_FALSE(on_cpu->binds);
  CHECK_FALSE(on_cpu->share);
  const auto on_h200 = roofline(m, "NVIDIA H200");
  REQUIRE(on_h200);
  CHECK(on_h200->bound_ms == Approx(2e-6));  // 9600 B at 4.8 TB/s
  CHECK(on_h200->binds == "memory");
  CHECK(on_h200->share == Approx(5e-7));
  bench::Measurement failed;
  CHECK_FALSE(roofline(failed, "NVIDIA H200"));
}

TEST_CASE("the log holds what was printed, then why it failed, as valid UTF-8") {
  auto m = passed();
  m.status = model::Status::RUNTIME_ERROR;
  m.output = "printed\xff";
  m.note = "call 3: SIGSEGV\n";
  CHECK(evaluate(m).log == "printed\xef\xbf\xbd\ncall 3: SIGSEGV\n");
}

TEST_CASE("a matched ratio is recorded where one was configured") {
  bench::RunConfig config;
  config.required_matched_ratio = 0.9;
  auto m = passed();
  m.matched_ratio = 0.95;
  CHECK(evaluate(m, config).correctness->extra->at("matched_ratio") == 0.95);
  CHECK_FALSE(evaluate(m).correctness->extra);
}

TEST_CASE("the trace says which rule judged, and the low-bit rule's share of elements and tolerance") {
  Planned p;
  const bench::RunIdentity identity{"run", "build", "1.0", "CPU X", "cpu", {}, false};
  const auto make = [&] { return bench::make_evaluation(passed(), p.planned, {}, identity, "start"); };
  CHECK(make().fib.at("rule") == "default");
  CHECK_FALSE(make().fib.contains("tolerance"));
  p.planned.rule = eval::Rule::kLowBit;
  CHECK(make().fib.at("rule") == "low-bit");
  CHECK(make().fib.at("tolerance").at("required_matched_ratio") == 0.95);
  CHECK(make().correctness->extra->at("matched_ratio") == 1);
}

TEST_CASE("what the rule says of all calls is recorded") {
  auto m = passed();
  m.judged = R"({"samples": 4000, "p_value": 0.5})";
  CHECK(evaluate(m).correctness->extra == nlohmann::ordered_json::parse(m.judged));
}

TEST_CASE("evaluation.fib holds the values of the run's sweep, and nothing without one") {
  Planned p;
  const bench::RunIdentity identity{"run", "build", "1.0", "CPU X", "cpu", {}, false};
  CHECK_FALSE(bench::make_evaluation(passed(), p.planned, {}, identity, "start").fib.contains("sweep"));
  p.planned.sweep = {{"iterations", 10}};
  CHECK(bench::make_evaluation(passed(), p.planned, {}, identity, "start").fib.at("sweep") ==
        p.planned.sweep);
}

TEST_CASE(
    "an evaluation by Python names torch, triton, tilelang and torch's CUDA, where they are installed") {
  Planned p;
  bench::RunIdentity identity{"run", "build", "1.0", "CPU X", "cpu", {}, false};
  auto measured = passed();
  const auto libs = [&] {
    return bench::make_evaluation(measured, p.planned, {}, identity, "start").environment.libs;
  };
  using Libs = model::Ordered<std::string>;
  auto python = model::Solution();
  python.spec.language = model::Language::python;
  p.planned.solution = &python;
  CHECK(libs() == Libs{{"fib", "1.0"}});
  identity.python = compile::PythonInterpreter{
      "/p", "3.12", "abi", {{"torch", "2.9.1"}, {"triton", "3.5"}, {"numpy", "2"}}, "13.0", true};
  CHECK(libs() == Libs{{"fib", "1.0"}, {"torch", "2.9.1"}, {"triton", "3.5"}, {"cuda", "13.0"}});
  python.spec.language = model::Language::cpp;
  CHECK(libs() == Libs{{"fib", "1.0"}});
  python.spec.binding = model::Binding::torch;
  measured.torch = compile::TorchWay::kReal;
  CHECK(libs().size() == 4);
  CHECK(bench::make_evaluation(measured, p.planned, {}, identity, "start").fib.at("torch") == "real");
  measured.torch = compile::TorchWay::kHeaders;
  CHECK(libs() == Libs{{"fib", "1.0"}, {"fib_torch_headers", compile::kTorchHeadersVersion}});
  CHECK(bench::make_evaluation(measured, p.planned, {}, identity, "start").fib.at("torch") == "headers");
}

TEST_CASE("an evaluation of what was built with TVM-FFI's headers names their version") {
  Planned p;
  bench::RunIdentity identity{"run", "build", "1.0", "CPU X", "cpu", {}, false};
  identity.tvm_ffi = "0.1.12";
  auto solution = model::Solution();
  solution.spec.language = model::Language::cpp;
  p.planned.solution = &solution;
  auto measured = passed();
  const auto libs = [&] {
    return bench::make_evaluation(measured, p.planned, {}, identity, "start").environment.libs;
  };
  using Libs = model::Ordered<std::string>;
  CHECK(libs() == Libs{{"fib", "1.0"}});
  solution.sources.push_back({"a.cpp", "#include <tvm/ffi/function.h>", {}});
  CHECK(libs() == Libs{{"fib", "1.0"}, {"tvm_ffi", "0.1.12"}});
}
