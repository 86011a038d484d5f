#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "dataset/temporary_dataset.h"
#include "report/try_json.h"

using namespace fib;

namespace {

model::Trace result(const std::string& uuid, const std::string& witness) {
  return model::parse_trace(R"({"definition":"d","workload":)" + testing::workload_text(uuid) +
                            R"(,"solution":"s","evaluation":{"environment":{"hardware":"H"},)" +
                            R"("timestamp":"2026-01-01T00:00:00+00:00","status":"PASSED","correctness":{},)" +
                            R"("performance":{"latency_ms":1,"reference_latency_ms":1,"speedup_factor":1},)" +
                            R"("fib":{"run_id":"r","config":{},"witness":)" + witness + "}}}");
}

nlohmann::json solution_of(report::TryReport tried, const std::vector<model::Trace>& traces,
                           const std::vector<model::Trace>& smallest = {}) {
  const auto definition = model::parse_definition(R"({"name": "d", "op_type": "x",
      "axes": {"n": {"type": "var"}}, "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
      "outputs": {"y": {"shape": ["n"], "dtype": "float32"}}, "reference": "def run(x):\n    return x\n"})");
  tried.version = "1";
  tried.solutions.push_back({&definition, traces, {}, "", smallest});
  return nlohmann::json::parse(report::to_json(tried)).at("solutions").at(0);
}

std::string digest_of(const std::vector<model::Trace>& traces, const std::string& count_work = "one") {
  report::TryReport tried;
  tried.circumstances.count_work = count_work;
  return solution_of(tried, traces).at("request_digest");
}

}  // namespace

TEST_CASE("a try whose work was to be counted is another question than one without, on whichever workload") {
  const std::string plain = R"({"clock":"coordinator"})";
  const std::string counted = R"({"clock":"coordinator","counters":{"calls":24,"busy_ms":1}})";
  const auto without = digest_of({result("v", plain), result("w", plain)});
  const auto first = digest_of({result("v", counted), result("w", plain)});
  CHECK(without == digest_of({result("v", plain), result("w", plain)}));
  CHECK(first != without);
  CHECK(first == digest_of({result("v", plain), result("w", counted)}));
  CHECK(first != digest_of({result("v", plain), result("w", counted)}, "each"));
  CHECK(without == digest_of({result("v", plain), result("w", plain)}, "each"));  // nothing could be counted
}

static std::string digest_in(const report::Circumstances& circumstances) {
  report::TryReport tried;
  tried.circumstances = circumstances;
  return solution_of(tried, {result("v", "null")}).at("request_digest");
}

TEST_CASE("a try in an open sandbox is another question than one in a closed one") {
  const auto digest = [](const std::string& sandbox) { return digest_in({.sandbox = sandbox}); };
  CHECK(digest("auto") == digest("auto"));
  CHECK(digest("auto") != digest("off"));
}

TEST_CASE("a try on the inputs of a seed is another question than one on those of another seed, or of none") {
  const auto digest = [](const std::string& seed) { return digest_in({.seed = seed}); };
  CHECK(digest("5") == digest("5"));
  CHECK(digest("5") != digest("6"));
  CHECK(digest("5") != digest(""));
}

TEST_CASE("another driver or compiler is another environment") {
  const std::vector<model::Trace> traces{result("v", "null")};
  const auto digest = [&](const std::string& tools) {
    report::TryReport tried;
    tried.circumstances.tools = tools;
    return solution_of(tried, traces).at("environment_digest");
  };
  CHECK(digest("driver 580") == digest("driver 580"));
  CHECK(digest("driver 580") != digest("driver 581"));
}

TEST_CASE("an error of fib's own is UTF-8, whatever it names") {
  report::TryReport report;
  report.error = "there is no file x\xff.cpp";
  CHECK_THAT(report::to_json(report), Catch::Contains("\"error\": \"there is no file x\xef\xbf\xbd.cpp\""));
}

TEST_CASE("a cascade keeps the verdict of each of its stages") {
  using model::Status;
  const auto ended = [](Status status) {
    auto trace = result("v", "null");
    trace.evaluation->status = status;
    return trace;
  };
  const auto stages = [&](Status smallest, Status all) {
    std::string text;
    const auto solution = solution_of({}, {ended(all)}, {ended(smallest)});
    for (const auto& stage : solution.at("stages"))
      text += std::string(stage.at("stage")) + " " + std::string(stage.at("status")) + "; ";
    return text;
  };
  CHECK(solution_of({}, {ended(Status::PASSED)}).at("stages").is_null());
  CHECK(stages(Status::COMPILE_ERROR, Status::COMPILE_ERROR) == "build COMPILE_ERROR; ");
  CHECK(stages(Status::TIMEOUT, Status::TIMEOUT) == "build PASSED; smallest_workload TIMEOUT; ");
  CHECK(stages(Status::PASSED, Status::INCORRECT_NUMERICAL) ==
        "build PASSED; smallest_workload PASSED; all_workloads INCORRECT_NUMERICAL; ");
}
