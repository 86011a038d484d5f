#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>

#include "bench/sweep_axes.h"
#include "dataset/temporary_dataset.h"

using namespace fib;

namespace {

model::Workload workload(const std::string& uuid, int m, const std::string& inputs = "") {
  return model::parse_workload(R"({"axes": {"M": )" + std::to_string(m) + R"(}, "inputs": {)" +
                               (inputs.empty() ? R"("A": {"type": "random"})" : inputs) + R"(}, "uuid": ")" +
                               uuid + "\"}");
}

// The definitions "d" with axis M and "e" with axis K, each with a solution; "d" has the workloads given.
std::vector<dataset::Dataset> datasets(const std::vector<model::Workload>& workloads) {
  std::vector<dataset::Dataset> result(1);
  auto& data = result[0];
  data.definitions["d"] = model::parse_definition(testing::definition_text("d"));
  data.definitions["e"] = model::parse_definition(
      std::regex_replace(testing::definition_text("e"), std::regex("\"M\""), "\"K\""));
  data.workloads["d"] = workloads;
  for (const std::string name : {"d", "e"}) {
    const auto text = testing::solution_text("of_" + name, "alice", "cpp", "cpu", name);
    data.solutions["of_" + name] = model::parse_solution(text);
  }
  return result;
}

const bench::WorkloadCheck kAnything = [](const auto&, const auto&) { return std::string(); };

struct Swept {
  std::vector<dataset::Dataset> datasets;
  bench::SweptWorkloads workloads;
  std::vector<bench::SkippedWorkload> skipped;
};

Swept swept(const std::vector<model::Workload>& workloads, const std::vector<std::string>& sweep,
            const dataset::Filter& filters = {.definitions = {"d"}},
            const bench::WorkloadCheck& check = kAnything) {
  Swept result{datasets(workloads), {}, {}};
  result.workloads = add_swept_workloads(result.datasets, filters, bench::make_sweep(sweep, {}, {"M", "K"}),
                                         check, result.skipped);
  return result;
}

std::vector<std::int64_t> sizes(const Swept& s) {
  std::vector<std::int64_t> values;
  for (const auto& [uuid, axes] : s.workloads.at({0, "d"})) values.push_back(axes.at("M"));
  std::sort(values.begin(), values.end());
  return values;
}

const model::Workload& find(const Swept& s, std::int64_t m) {
  const auto& all = s.datasets[0].workloads.at("d");
  return *std::find_if(all.begin(), all.end(), [&](const auto& w) { return w.axes[0].second.value == m; });
}

}  // namespace

TEST_CASE("each workload is made for each value, and what is the same is made once") {
  const auto s = swept({workload("a", 1), workload("b", 2)}, {"M=2,4,8"});
  CHECK(sizes(s) == std::vector<std::int64_t>{2, 4, 8});
  CHECK(s.datasets[0].workloads.at("d").size() == 4);  // the dataset's two, and 4 and 8
  CHECK(find(s, 2).uuid == "b");                       // the dataset's own
  CHECK(s.workloads.at({0, "d"}).contains("b"));
  CHECK_FALSE(s.workloads.at({0, "d"}).contains("a"));
  CHECK(s.skipped.empty());
}

TEST_CASE("a made workload has a uuid that follows from what it is") {
  const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  const auto one = swept({workload("a", 1)}, {"M=4,8"});
  const std::string uuid = find(one, 4).uuid;
  CHECK(std::regex_match(uuid, form));
  CHECK(find(one, 8).uuid != uuid);
  CHECK(find(swept({workload("other", 3)}, {"M=4"}), 4).uuid == uuid);
  const auto scalar = swept({workload("a", 1, R"("A": {"type": "scalar", "value": 2})")}, {"M=4"});
  CHECK(find(scalar, 4).uuid != uuid);
}

TEST_CASE("workloads with different inputs stay different") {
  const auto s =
      swept({workload("a", 1), workload("b", 1, R"("A": {"type": "scalar", "value": 2})")}, {"M=4"});
  CHECK(sizes(s) == std::vector<std::int64_t>{4, 4});
}

TEST_CASE("workloads whose inputs have a size of their own are left out with the reason") {
  const auto s =
      swept({workload("a", 1),
             workload("file-1234567", 1, R"("A": {"type": "safetensors", "path": "x", "tensor_key": "A"})"),
             workload("custom", 1, R"("A": {"type": "custom"})")},
            {"M=4"});
  CHECK(sizes(s) == std::vector<std::int64_t>{4});
  REQUIRE(s.skipped.size() == 2);
  CHECK(s.skipped[0].name == "d file-123");
  CHECK(s.skipped[0].reason == "input A comes from a file, which has one size");
  CHECK(s.skipped[1].reason == "input A is made by a function of the definition");
}

TEST_CASE("what the check refuses is left out with its reason") {
  const bench::WorkloadCheck check = [](const model::Definition& definition, const model::Workload& w) {
    return w.axes[0].second.value > 5 ? definition.name + " is too large" : std::string();
  };
  const auto s = swept({workload("a", 1)}, {"M=4,8"}, {}, check);
  CHECK(sizes(s) == std::vector<std::int64_t>{4});
  REQUIRE(s.skipped.size() == 2);
  CHECK(s.skipped[0].name.ends_with(" M=8"));
  CHECK(s.skipped[0].reason == "d is too large");
  CHECK(s.skipped[1].name == "e");
  CHECK(s.skipped[1].reason == "it has no variable axis M");
}

TEST_CASE("only selected workloads of definitions with selected solutions are swept") {
  const std::vector<model::Workload> two = {workload("a", 1, R"("A": {"type": "scalar", "value": 2})"),
                                            workload("b", 1)};
  CHECK(sizes(swept(two, {"M=4"}, {.workloads = {"b"}})).size() == 1);
  CHECK(swept(two, {"M=4"}, {.solutions = {"of_e"}}).workloads.empty());
  CHECK(swept(two, {"M=4"}, {.op_types = {"none"}}).skipped.empty());
}

TEST_CASE("the plan of a sweep runs its workloads at every point, each evaluation with its values") {
  auto s = swept({workload("a", 1)}, {"M=4,8"});
  auto& solution = s.datasets[0].solutions.at("of_d");
  solution = model::parse_solution(
      R"({"name": "of_d", "definition": "d", "author": "alice", "spec": {"language": "cpp",
      "target_hardware": ["cpu"], "entry_point": "a.cpp::run"},
      "sources": [{"path": "a.cpp", "content": "x"}]})");
  const auto sweep = bench::make_sweep({"iterations=10,20", "M=4,8"}, {}, {"M"});
  const auto hash = model::content_sha256(solution);
  std::vector<int> asked;
  const auto done_of = [&](const bench::RunConfig& config) {
    asked.push_back(config.iterations.value());
    bench::DoneEvaluations done;
    if (config.iterations == 20)
      done.emplace(bench::DoneKey{0, find(s, 8).uuid, "of_d", hash}, model::Status::TIMEOUT);
    return done;
  };
  const auto plan = bench::plan_sweep(s.datasets, {.definitions = {"d"}, .workloads = {"a", "x"}},
                                      {model::DeviceKind::cpu}, sweep, s.workloads, done_of);
  CHECK(asked == std::vector<int>{10, 20});
  CHECK(plan.resumed == 1);
  CHECK(plan.resumed_failures == 1);
  std::vector<std::string> values;
  for (const auto& planned : plan.evaluations) {
    CHECK(planned.point == (planned.sweep.at("iterations") == 20 ? 1 : 0));
    CHECK(planned.workload->axes[0].second.value == planned.sweep.at("M"));
    values.push_back(planned.sweep.dump());
  }
  std::sort(values.begin(), values.end());
  CHECK(values == std::vector<std::string>{R"({"iterations":10,"M":4})", R"({"iterations":10,"M":8})",
                                           R"({"iterations":20,"M":4})"});
}
