#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "dataset/temporary_dataset.h"
#include "feedback/digests.h"
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

// With a record that says so.
model::Trace recorded(const std::string& uuid, const nlohmann::ordered_json& members) {
  auto trace = result(uuid, "null");
  trace.evaluation->fib.update(members);
  return trace;
}

}  // namespace

TEST_CASE("the question of a try is that of all its results, and the environment that of the first") {
  const auto first = recorded("v", {{"request_digest", "ab"}, {"environment_digest", "e"}});
  const auto second = recorded("w", {{"request_digest", "cd"}, {"environment_digest", "e"}});
  const auto solution = solution_of({}, {first, second});
  CHECK(solution.at("request_digest") == feedback::joint_digest({"ab", "cd"}));
  CHECK(solution.at("environment_digest") == "e");
  CHECK(solution_of({}, {recorded("v", {{"request_digest", "ab"}})}).at("environment_digest").is_null());
}

TEST_CASE("a try's reward is made of those of its results") {
  const auto reward = [](const nlohmann::ordered_json& components) {
    return nlohmann::ordered_json{{"reward_components", components}};
  };
  const auto good = recorded("v", reward({{"built", true}, {"share_of_bound", 0.2}, {"violation", false}}));
  const auto better = recorded("w", reward({{"built", true}, {"share_of_bound", 0.8}, {"violation", false}}));
  const auto both = solution_of({}, {good, better}).at("reward_components");
  CHECK(both.at("built") == true);
  CHECK(both.at("correct") == 1.0);
  CHECK(both.at("speedup") == 1.0);
  CHECK(both.at("share_of_bound") == Approx(0.4));
  CHECK(both.at("violation") == false);
  auto caught = recorded("w", reward({{"built", true}, {"violation", true}}));
  caught.evaluation->status = model::Status::RUNTIME_ERROR;
  const auto one = solution_of({}, {good, caught}).at("reward_components");
  CHECK(one.at("correct") == 0.0);  // whatever passed
  CHECK(one.at("speedup").is_null());
  CHECK(one.at("share_of_bound").is_null());
  CHECK(one.at("violation") == true);
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
