#include <catch2/catch.hpp>
#include <cmath>

#include "model/trace.h"

using namespace fib::model;

namespace {

std::string workload(const std::string& inputs = R"("A":{"type":"random"})") {
  return R"({"axes":{"M":2},"inputs":{)" + inputs + R"(},"uuid":"u"})";
}

std::string trace(const std::string& evaluation) {
  return R"({"definition":"d","workload":)" + workload() + R"(,"solution":"s","evaluation":)" + evaluation +
         "}";
}

std::string evaluation(const std::string& status, const std::string& more) {
  return R"({"status":")" + status + R"(","environment":{"hardware":"h"},"timestamp":"t")" + more + "}";
}

InputSpec input(const std::string& text, Mode mode = Mode::lenient) {
  return parse_workload(workload("\"A\":" + text), mode).inputs.at(0).second;
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_trace(text));
    return "";
  } catch (const ParseError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("the kind of an input follows from its keys when no type is given") {
  CHECK(input("{}").kind == InputKind::random);
  CHECK(input(R"({"value":1})").kind == InputKind::scalar);
  CHECK(input(R"({"path":"p","tensor_key":"k"})").kind == InputKind::safetensors);
  CHECK(input(R"({"path":"p"})").kind == InputKind::random);
  CHECK(input(R"({"path":"p","tensor_key":"k","value":1})").kind == InputKind::safetensors);
}

TEST_CASE("scalars keep type and digits") {
  CHECK(std::get<std::int64_t>(input(R"({"type":"scalar","value":5})").scalar.value) == 5);
  CHECK(std::get<double>(input(R"({"type":"scalar","value":5.0})").scalar.value) == 5);
  CHECK(std::get<bool>(input(R"({"type":"scalar","value":true})").scalar.value));
  CHECK(std::isnan(std::get<double>(input(R"({"type":"scalar","value":"nan"})").scalar.value)));
  const Scalar huge = input(R"({"type":"scalar","value":1000000000000000000000})").scalar;
  CHECK(huge.token == "1000000000000000000000");
}

TEST_CASE("a workload may have a tolerance of its own") {
  const std::string text =
      R"({"axes":{"M":1},"inputs":{},"uuid":"w","tolerance":{"max_atol":0.5,"max_rtol":0.0,"required_matched_ratio":0.99,)"
      R"("max_error_cap":4.0,"allow_negative_inf":false}})";
  const auto read = parse_workload(text);
  REQUIRE(read.tolerance);
  CHECK(read.tolerance->max_atol == 0.5);
  CHECK(read.tolerance->max_rtol == 0);
  CHECK(read.tolerance->required_matched_ratio == 0.99);
  CHECK(read.tolerance->max_error_cap == 4);
  CHECK(to_json(read) == text);
  CHECK_FALSE(parse_workload(text, Mode::upstream).tolerance);
  const auto with = [](const std::string& tolerance) {
    return parse_workload(R"({"axes":{},"inputs":{},"uuid":"w","tolerance":)" + tolerance + "}");
  };
  CHECK_FALSE(with("null").tolerance);
  CHECK_FALSE(with(R"({"max_error_cap":null})").tolerance->max_error_cap);
  CHECK_THROWS_WITH(with(R"({"max_atol":-1})"), Catch::StartsWith("tolerance.max_atol: "));
  CHECK_THROWS_WITH(with(R"({"required_matched_ratio":0})"),
                    Catch::StartsWith("tolerance.required_matched_ratio: "));
  CHECK_THROWS_WITH(with(R"({"required_matched_ratio":1.5})"),
                    Catch::StartsWith("tolerance.required_matched_ratio: "));
  CHECK_THROWS_WITH(with(R"({"max_rtol":"NaN"})"), Catch::StartsWith("tolerance.max_rtol: "));
  CHECK_THROWS_WITH(with("3"), Catch::StartsWith("tolerance: "));
}

TEST_CASE("workloads are written with all fields; infinite scalars as strings that can be read") {
  const std::string text =
      workload(R"("a":{"value":1000000000000000000000},"b":{"value":-Infinity},"c":{"value":1e2},)"
               R"("d":{"type":"safetensors","path":"p","tensor_key":"k","x":1},"e":{})");
  const std::string once = to_json(parse_workload(text));
  CHECK(once ==
        R"({"axes":{"M":2},"inputs":{"a":{"type":"scalar","value":1000000000000000000000},)"
        R"("b":{"type":"scalar","value":"-Infinity"},"c":{"type":"scalar","value":100.0},)"
        R"("d":{"type":"safetensors","path":"p","tensor_key":"k","x":1},"e":{"type":"random"}},"uuid":"u"})");
  CHECK(to_json(parse_workload(once)) == once);
  CHECK(std::get<double>(parse_workload(once).inputs[1].second.scalar.value) == -HUGE_VAL);
}

TEST_CASE("a workload has no more axes than a definition may have") {
  std::string axes = R"("a":1)";
  for (int i = 0; i < 1000; ++i) axes += fmt::format(",\"a{}\":1", i);
  CHECK_THROWS_WITH(parse_trace(R"({"definition":"d","workload":{"uuid":"w","inputs":{},"axes":{)" + axes +
                                "}},\"solution\":null,\"evaluation\":null}"),
                    Catch::Contains("1001 axes and 0 inputs, more than 1000 of them"));
}

TEST_CASE("custom inputs are kept, but upstream's way refused") {
  const std::string text = workload(R"("A":{"type":"custom"})");
  CHECK(parse_workload(text).inputs[0].second.kind == InputKind::custom);
  CHECK(to_json(parse_workload(text)) == text);
  CHECK_THROWS_AS(parse_workload(text, Mode::upstream), ParseError);
}

TEST_CASE("a trace without solution and evaluation is a workload") {
  CHECK(parse_trace(R"({"definition":"d","workload":)" + workload() + "}").is_workload());
  CHECK(parse_trace(R"({"definition":"d","workload":)" + workload() + R"(,"solution":"","evaluation":{}})")
            .is_workload());
  CHECK_FALSE(parse_trace(trace(evaluation("TIMEOUT", ""))).is_workload());
  CHECK_FALSE(
      parse_trace(R"({"definition":"d","workload":)" + workload() + R"(,"solution":""})").is_workload());
}

TEST_CASE("correctness and performance must fit the status") {
  const std::string both = R"(,"correctness":{},"performance":{})";
  const std::string correct = R"(,"correctness":{})";
  const std::string start = "evaluation: Evaluation must ";
  CHECK(error_of(trace(evaluation("PASSED", both))).empty());
  CHECK(error_of(trace(evaluation("INCORRECT_NUMERICAL", correct))).empty());
  CHECK(error_of(trace(evaluation("TIMEOUT", ""))).empty());
  CHECK(error_of(trace(evaluation("PASSED", correct))) ==
        start + "include performance when status is EvaluationStatus.PASSED");
  CHECK(error_of(trace(evaluation("INCORRECT_NUMERICAL", both))) ==
        start + "not include performance when status is EvaluationStatus.INCORRECT_NUMERICAL");
  CHECK(error_of(trace(evaluation("COMPILE_ERROR", correct))) ==
        start + "not include correctness when status is EvaluationStatus.COMPILE_ERROR");
  CHECK(error_of(trace(evaluation("PASSED", R"(,"correctness":{"max_absolute_error":-1})"))) ==
        "evaluation.correctness.max_absolute_error: must be non-negative or NaN");
}

TEST_CASE("every number that is not finite can be written and read back") {
  const std::string text = trace(evaluation(
      "PASSED",
      R"(,"correctness":{"max_relative_error":NaN,"max_absolute_error":Infinity,"extra":{"x":[Infinity,1]}},)"
      R"("performance":{"latency_ms":Infinity,"reference_latency_ms":"inf","speedup_factor":0},"y":NaN)"));
  const std::string once = to_json(parse_trace(text));
  CHECK_THAT(
      once,
      Catch::Contains(
          R"("max_relative_error":"NaN","max_absolute_error":"Infinity","extra":{"x":["Infinity",1]})"));
  CHECK_THAT(once, Catch::Contains(
                       R"("latency_ms":"Infinity","reference_latency_ms":"Infinity","speedup_factor":0.0)"));
  CHECK(to_json(parse_trace(once)) == once);
}

TEST_CASE("a null measure is the infinity that upstream wrote") {
  const std::string text =
      trace(evaluation("PASSED", R"(,"correctness":{},"performance":{"latency_ms":null})"));
  CHECK(parse_trace(text).evaluation->performance->latency_ms == HUGE_VAL);
  CHECK_THROWS_AS(parse_trace(text, Mode::upstream), ParseError);
}

TEST_CASE("unknown keys are written back after the known ones, fib last") {
  const std::string text =
      R"({"definition":"d","workload":{"axes":{},"inputs":{},"uuid":"u","priority":{"weight":0.010}},"solution":"s",)"
      R"("evaluation":{"status":"PASSED","environment":{"hardware":"h","libs":{"torch":"2"},"host":"x"},"timestamp":"t",)"
      R"("log":"","correctness":{"max_relative_error":0.0,"max_absolute_error":0.0,"extra":null,"has_nan":false},)"
      R"("performance":{"latency_ms":1.0,"reference_latency_ms":2.0,"speedup_factor":2.0,"p10":0.5},)"
      R"("log_file":"f","fib":{"schema":1,"z":[1.5]}},"tag":[]})";
  const Trace read = parse_trace(text);
  CHECK(read.evaluation->fib.at("schema") == 1);
  CHECK(to_json(read) == text);
  CHECK(to_json(parse_trace(text, Mode::upstream), Mode::upstream).find("fib") == std::string::npos);
}

TEST_CASE("old spellings are understood") {
  const Trace read = parse_trace(trace(
      R"({"status":"INCORRECT","environment":{"device":"h"},"timestamp":"t","correctness":{},"log_file":"x"})"));
  CHECK(read.evaluation->status == Status::INCORRECT_NUMERICAL);
  CHECK(read.evaluation->environment.hardware == "h");
  CHECK_THAT(error_of(trace(evaluation("REWARD_HACK", ""))),
             Catch::StartsWith("evaluation.status: Input should be 'PASSED'"));
}

TEST_CASE("every status has its name") {
  for (const char* name : {"PASSED", "INCORRECT_SHAPE", "INCORRECT_NUMERICAL", "INCORRECT_DTYPE",
                           "RUNTIME_ERROR", "COMPILE_ERROR", "TIMEOUT"}) {
    const bool numerical = std::string(name) == "INCORRECT_NUMERICAL";
    const std::string more = std::string(name) == "PASSED" ? R"(,"correctness":{},"performance":{})"
                             : numerical                   ? R"(,"correctness":{})"
                                                           : "";
    CHECK(name_of(parse_trace(trace(evaluation(name, more))).evaluation->status) == name);
  }
}

TEST_CASE("errors deep inside name the whole path") {
  CHECK(
      error_of(
          R"({"definition":"d","workload":{"axes":{"M":2.5},"inputs":{"A":{"type":"scalar"}},"uuid":""}})") ==
      "workload.axes.M: Input should be a valid integer, got a number with a fractional part; "
      "workload.inputs.A.value: Field required; workload.uuid: String should have at least 1 character");
}
