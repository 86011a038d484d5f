#include <catch2/catch.hpp>

#include "bench/plan.h"
#include "dataset/temporary_dataset.h"
#include "util/clock.h"

using namespace fib;

namespace {

model::Solution solution(const std::string& name, const std::string& author, const std::string& definition,
                         const std::string& spec) {
  return model::parse_solution(R"({"name": ")" + name + R"(", "definition": ")" + definition +
                               R"(", "author": ")" + author + R"(", "spec": )" + spec +
                               R"(, "sources": [{"path": "a.cpp", "content": "x"}]})");
}

const std::string kCpp = R"({"language": "cpp", "target_hardware": ["cpu"], "entry_point": "a.cpp::run"})";

dataset::Dataset two_definitions() {
  dataset::Dataset data;
  for (const std::string name : {"d1", "d2"}) {
    data.definitions[name] = model::parse_definition(
        R"({"name": ")" + name + R"(", "op_type": "op_)" + name +
        R"(", "axes": {"n": {"type": "var"}}, "inputs": {}, "outputs": {}, "reference": "def run(): pass"})");
    for (const std::string uuid : {"w2", "w1"}) {
      data.workloads[name].push_back(
          model::parse_workload(R"({"axes": {"n": 1}, "inputs": {}, "uuid": ")" + uuid + name + "\"}"));
    }
  }
  for (const auto& s : {solution("s2", "bob", "d1", kCpp), solution("s1", "alice", "d2", kCpp),
                        solution("s3", "alice", "d1", kCpp)}) {
    data.solutions[s.name] = s;
  }
  return data;
}

std::vector<std::string> names(const bench::Plan& plan) {
  std::vector<std::string> result;
  for (const auto& p : plan.evaluations) {
    result.push_back(p.definition->name + " " + p.solution->name + " " + p.workload->uuid);
  }
  return result;
}

// Accepts this configuration alone.
bench::AcceptsConfig only(const nlohmann::json& config) {
  return [config](const nlohmann::json& other, const model::Definition*, const model::Workload&) {
    return other == config;
  };
}

}  // namespace

TEST_CASE("the plan is ordered by definition, solution and workload") {
  const std::vector<dataset::Dataset> datasets = {two_definitions()};
  const auto plan = bench::make_plan(datasets, {}, {model::DeviceKind::cpu}, {});
  CHECK(names(plan) == std::vector<std::string>{"d1 s2 w1d1", "d1 s2 w2d1", "d1 s3 w1d1", "d1 s3 w2d1",
                                                "d2 s1 w1d2", "d2 s1 w2d2"});
}

TEST_CASE("every filter narrows the plan") {
  const std::vector<dataset::Dataset> datasets = {two_definitions()};
  const auto size = [&](const dataset::Filter& filters) {
    return bench::make_plan(datasets, filters, {model::DeviceKind::cpu}, {}).evaluations.size();
  };
  CHECK(size({.definitions = {"d1"}}) == 4);
  CHECK(size({.solutions = {"s1", "s2"}}) == 4);
  CHECK(size({.authors = {"ali*"}}) == 4);
  CHECK(size({.op_types = {"op_d2"}}) == 2);
  CHECK(size({.workloads = {"w1*"}}) == 3);
  CHECK(size({.definitions = {"d1"}, .authors = {"alice"}, .workloads = {"w1d1"}}) == 1);
}

TEST_CASE("solutions that cannot run on the device are skipped with a reason") {
  auto data = two_definitions();
  for (
      const auto& [name, spec] : std::map<std::string, std::string>{
          {"cuda",
           R"({"language": "cuda", "target_hardware": ["NVIDIA_H200"], "entry_point": "a.cpp::run"})"},
          {"gpu_cpp", R"({"language": "cpp", "target_hardware": ["cuda"], "entry_point": "a.cpp::run"})"},
          {"python", R"({"language": "python", "target_hardware": ["cpu"], "entry_point": "a.cpp::run"})"},
          {"torch",
           R"({"language": "cpp", "target_hardware": ["cpu"], "entry_point": "a.cpp::run", "binding": "torch"})"},
          {"returns",
           R"({"language": "cpp", "target_hardware": ["cpu"], "entry_point": "a.cpp::run", "destination_passing_style": false})"}}) {
    data.solutions[name] = solution(name, "x", "d1", spec);
  }
  const std::vector<dataset::Dataset> datasets = {data};
  bench::PlanTarget target{model::DeviceKind::cpu};
  target.torch = compile::TorchWay::kReal;
  const auto plan = bench::make_plan(datasets, {.authors = {"x"}}, target, {});
  CHECK(plan.evaluations.empty());
  REQUIRE(plan.skipped.size() == 5);
  // Without torch fib's own headers may do.
  const auto others = bench::make_plan(datasets, {.authors = {"x"}}, {model::DeviceKind::cpu}, {});
  CHECK(others.skipped.size() == 4);
  REQUIRE_FALSE(others.evaluations.empty());
  CHECK(others.evaluations.front().solution->name == "torch");
  using enum model::ObstacleCode;
  std::map<std::string, model::ObstacleCode> codes;
  for (const auto& skipped : plan.skipped) {
    CHECK_FALSE(skipped.obstacle.why.empty());
    codes[skipped.solution] = skipped.obstacle.code;
  }
  CHECK(codes == std::map<std::string, model::ObstacleCode>{{"cuda", other_device},
                                                            {"gpu_cpp", other_device},
                                                            {"python", missing_tool},
                                                            {"returns", unsupported_solution},
                                                            {"torch", missing_tool}});
}

TEST_CASE("finished evaluations count for the same hardware and configuration only") {
  std::vector<dataset::Dataset> datasets = {two_definitions()};
  const auto hash = model::content_sha256(datasets[0].solutions.at("s2"));
  const auto trace = [&](const std::string& hardware, int iterations) {
    return R"({"definition": "d1", "workload": {"axes": {"n": 1}, "inputs": {}, "uuid": "w1d1"}, "solution": "s2", )"
           R"("evaluation": {"status": "TIMEOUT", "environment": {"hardware": ")" +
           hardware + R"(", "libs": {}}, "timestamp": "2026-01-02T03:04:05", "fib": {"solution_sha256": ")" +
           hash + R"(", "config": {"iterations": )" + std::to_string(iterations) + "}}}}\n";
  };
  const testing::TemporaryDataset files;
  files.write("traces/bob/op/d1.jsonl", trace("CPU A", 10) + trace("CPU B", 20));
  datasets[0].root = files.root();
  CHECK(bench::finished_evaluations(datasets, "CPU A", only({{"iterations", 20}})).empty());
  CHECK(bench::finished_evaluations(datasets, "CPU C", only({{"iterations", 10}})).empty());
  const auto done = bench::finished_evaluations(datasets, "CPU A", only({{"iterations", 10}}));
  REQUIRE(done.size() == 1);
  const auto plan = bench::make_plan(datasets, {}, {model::DeviceKind::cpu}, done);
  CHECK(plan.resumed == 1);
  auto& w1d1 = datasets[0].workloads.at("d1")[1];
  w1d1.axes[0].second = model::Integer(2);
  CHECK(bench::finished_evaluations(datasets, "CPU A", only({{"iterations", 10}})).empty());
  w1d1.axes[0].second = model::Integer(1);
  CHECK(bench::finished_evaluations(datasets, "CPU A", only({{"iterations", 10}})).size() == 1);
  const auto since = [&](const char* time) {
    return bench::finished_evaluations(datasets, "CPU A", only({{"iterations", 10}}), {},
                                       *util::parse_timestamp(time))
        .size();
  };
  CHECK(since("2026-01-02T03:04:05Z") == 1);
  CHECK(since("2026-01-02T03:04:06Z") == 0);
  w1d1.tolerance = model::WorkloadTolerance{1, {}, {}, {}, {}};
  CHECK(bench::finished_evaluations(datasets, "CPU A", only({{"iterations", 10}})).empty());
  CHECK(plan.evaluations.size() == 5);
}

TEST_CASE("what --resume leaves out has the verdict of its latest run, in which nothing may have failed") {
  std::vector<dataset::Dataset> datasets = {two_definitions()};
  const auto hash = model::content_sha256(datasets[0].solutions.at("s2"));
  const auto trace = [&](const std::string& status, const std::string& day, const std::string& run) {
    return R"({"definition": "d1", "workload": {"axes": {"n": 1}, "inputs": {}, "uuid": "w1d1"}, "solution": "s2", )"
           R"("evaluation": {"status": ")" +
           status + R"(", "environment": {"hardware": "C", "libs": {}}, "timestamp": "2026-01-)" + day +
           R"(T00:00:00+00:00", )" +
           (status == "PASSED" ? R"("correctness": {}, "performance": {"latency_ms": 1}, )" : "") +
           R"("fib": {"solution_sha256": ")" + hash + R"(", "run_id": ")" + run +
           R"(", "config": {"x": 1}}}})" + "\n";
  };
  const testing::TemporaryDataset files;
  datasets[0].root = files.root();
  const auto failures = [&](const std::string& traces) {
    files.write("traces/bob/op/d1.jsonl", traces);
    const auto done = bench::finished_evaluations(datasets, "C", only({{"x", 1}}));
    const auto plan = bench::make_plan(datasets, {}, {model::DeviceKind::cpu}, done);
    CHECK(plan.resumed == 1);
    return plan.resumed_failures;
  };
  CHECK(failures(trace("PASSED", "01", "r1")) == 0);
  CHECK(failures(trace("TIMEOUT", "01", "r1") + trace("PASSED", "02", "r2")) == 0);
  CHECK(failures(trace("PASSED", "02", "r2") + trace("TIMEOUT", "01", "r1")) == 0);
  CHECK(failures(trace("PASSED", "01", "r1") + trace("TIMEOUT", "02", "r2")) == 1);
  CHECK(failures(trace("TIMEOUT", "01", "r1") + trace("PASSED", "01", "r1")) == 1);
  CHECK(failures(trace("TIMEOUT", "no time", "r1") + trace("PASSED", "01", "r2")) == 0);
}

TEST_CASE("Python solutions are planned where the interpreter has what they import") {
  auto data = two_definitions();
  auto s = model::parse_solution(R"({"name": "py", "definition": "d1", "author": "x", "spec": {"language":
      "python", "target_hardware": ["cpu"], "entry_point": "a.py::run"},
      "sources": [{"path": "a.py", "content": "import torch"}]})");
  data.solutions["py"] = s;
  const std::vector<dataset::Dataset> datasets = {data};
  compile::PythonInterpreter python{"/usr/bin/python3", "3.12", "abi", {}, "", true};
  const auto plan = [&] {
    return bench::make_plan(datasets, {.authors = {"x"}}, {model::DeviceKind::cpu, python}, {});
  };
  REQUIRE(plan().skipped.size() == 1);
  CHECK(plan().skipped[0].obstacle.code == model::ObstacleCode::missing_tool);
  CHECK(plan().skipped[0].obstacle.why ==
        "it needs torch, which /usr/bin/python3 does not have (install it, or set FIB_PYTHON)");
  python.packages["torch"] = "2.9";
  CHECK(plan().skipped.empty());
  CHECK(plan().evaluations.size() == 2);
}

TEST_CASE("every definition is planned with its rule of judging, but those that two rules claim") {
  dataset::Dataset data;
  const auto add = [&](const std::string& name, const std::string& op_type) {
    data.definitions[name] = model::parse_definition(
        R"({"name": ")" + name + R"(", "op_type": ")" + op_type +
        R"(", "axes": {}, "inputs": {}, "outputs": {"y": {"shape": [], "dtype": "int64"}}, "reference": "def run(): pass"})");
    data.workloads[name].push_back(
        model::parse_workload(R"({"axes": {}, "inputs": {}, "uuid": ")" + name + "\"}"));
    data.solutions["s_" + name] = solution("s_" + name, "x", name, kCpp);
    data.definition_files[name] = "definitions/" + op_type + "/" + name + ".json";
  };
  add("dsa_topk_indexer_a", "dsa_paged");
  add("moe_fp8_block_scale_b", "moe");
  add("moe_fp8_block_scale_twice", "sampling");
  add("plain", "gemm");
  add("sample", "sampling");
  add("sample_of_a_file", "sampling");
  data.definition_files["sample_of_a_file"] = "definition.json";  // fib eval --definition FILE
  const auto plan = bench::make_plan({data}, {}, {model::DeviceKind::cpu, {}}, {});
  std::vector<eval::Rule> rules;
  for (const auto& planned : plan.evaluations) rules.push_back(planned.rule);
  using enum eval::Rule;
  CHECK(rules == std::vector<eval::Rule>{kDsaIndexer, kLowBit, kDefault, kSampling, kSampling});
  data.of_problems = true;
  for (const auto& planned : bench::make_plan({data}, {}, {model::DeviceKind::cpu, {}}, {}).evaluations)
    CHECK(planned.rule == kDefault);
  REQUIRE(plan.skipped.size() == 1);
  CHECK(plan.skipped[0].solution == "s_moe_fp8_block_scale_twice");
  CHECK(plan.skipped[0].obstacle.code == model::ObstacleCode::bad_definition);
  CHECK_THAT(plan.skipped[0].obstacle.why, Catch::Contains("sampling and low-bit"));
}
