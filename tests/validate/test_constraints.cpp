#include <algorithm>

#include "validate/broken_constraint.h"
#include "validate/support.h"

using namespace fib;
using namespace fib::testing;

namespace {

Lines said_of(const std::string& constraint, const std::string& workloads) {
  Json definition = definition_json();
  definition["constraints"] = {constraint};
  const Checked files(definition);
  if (!workloads.empty()) files.workloads(workloads);
  return files.said("constraints");
}

std::string integers_workload(const std::string& path) {
  return record(
      Json{{"axes", {{"len", 3}, {"total", 7}}}, {"inputs", {{"p", blob_input(path)}}}, {"uuid", "w"}});
}

// total == p[-1].item() over a tensor of indices.
Json indexed_definition(const std::string& constraint) {
  Json definition = definition_json();
  definition["axes"] = {{"len", {{"type", "var"}}}, {"total", {{"type", "var"}}}};
  definition["inputs"] = {{"p", {{"shape", {"len"}}, {"dtype", "int32"}}}};
  definition["outputs"] = {{"B", {{"shape", {"total"}}, {"dtype", "int32"}}}};
  definition["constraints"] = {constraint};
  return definition;
}

}  // namespace

TEST_CASE("constraints: a definition's constants are judged without workloads") {
  CHECK(said_of("N == 4", "") == Lines{});
  CHECK(said_of("N > 4", "") ==
        Lines{"error: constraint 'N > 4' does not hold, for 4 > 4 is false; correct the "
              "constraint or the constant axes"});
  CHECK(said_of("A.shape[1] == 2 * N", record(workload_json("w")) + record(workload_json("v"))) ==
        Lines{"error: constraint 'A.shape[1] == 2 * N' does not hold, for 4 == 8 is false; correct the "
              "constraint or "
              "the constant axes"});
}

TEST_CASE("constraints: each workload's axes") {
  const std::string workloads = record(workload_json("w")) + record(workload_json("v"));
  CHECK(said_of("M <= N", workloads) == Lines{});
  const std::string rest =
      ": constraint 'B.shape[0] > N' does not hold, for 2 > 4 is false; correct the constraint or the "
      "workload's axes "
      "or tensors";
  CHECK(said_of("B.shape[0] > N", workloads) ==
        Lines{"error: workload w" + rest, "error: workload v" + rest});
}

TEST_CASE("constraints: a thousand broken workloads are told, and all others counted") {
  std::string workloads;
  for (int i = 0; i < 1003; ++i) workloads += record(workload_json("w" + std::to_string(i)));
  const auto lines = said_of("B.shape[0] > N", workloads);
  REQUIRE(lines.size() == 1001);
  CHECK(std::count(lines.begin(), lines.end(),
                   "error: 3 more constraints that do not hold for a workload are not listed") == 1);
}

TEST_CASE("constraints: what a blob holds; nothing is said about random inputs and missing blobs") {
  const Checked files(indexed_definition("total == p[-1].item()"));
  files.workloads(
      record(Json{{"axes", {{"len", 3}, {"total", 7}}}, {"inputs", {{"p", random_input()}}}, {"uuid", "w"}}));
  CHECK(files.said("constraints") == Lines{});
  files.workloads(integers_workload("blob/p.safetensors"));
  CHECK(files.said("constraints") == Lines{});
  files.blob("blob/p.safetensors", tensor::DType::kInt32, {3}, std::vector<std::int32_t>{0, 3, 7});
  CHECK(files.said("constraints") == Lines{});
  files.blob("blob/p.safetensors", tensor::DType::kInt32, {3}, std::vector<std::int32_t>{0, 7, 9});
  CHECK(files.said("constraints") == Lines{"error: workload w: constraint 'total == p[-1].item()' does not "
                                           "hold, for 7 == 9 is false; correct the "
                                           "constraint or the workload's axes or tensors"});
  files.blob("blob/p.safetensors", tensor::DType::kInt64, {3}, std::vector<std::int64_t>{0, 7, 8});
  CHECK_THAT(files.said("constraints").at(0), Catch::Contains("for 7 == 8 is false"));
}

TEST_CASE("constraints: an element that is not there decides nothing") {
  const Checked files(indexed_definition("total == p[3].item()"));
  files.workloads(integers_workload("blob/p.safetensors"));
  files.blob("blob/p.safetensors", tensor::DType::kInt32, {3}, std::vector<std::int32_t>{0, 3, 7});
  CHECK(files.said("constraints") == Lines{});
}

TEST_CASE("constraints: a name that is nothing") {
  CHECK(said_of("M == Q", record(workload_json("w"))) ==
        Lines{"warning: constraint 'M == Q' names 'Q', which is neither axis nor tensor; correct the name"});
}

TEST_CASE("the first constraint that a single workload breaks is a sentence") {
  const auto reason = [](const Json& constraints, const Json& workload) {
    Json definition = definition_json();
    definition["constraints"] = constraints;
    return validate::broken_constraint(model::parse_definition(definition.dump()),
                                       model::parse_workload(workload.dump()));
  };
  const Json workload = workload_json("w");  // M = 2, N = 4
  CHECK(reason(Json::array({"M < N"}), workload).empty());
  CHECK(reason(Json::array({"M < N", "M == N"}), workload) ==
        "constraint 'M == N' does not hold, for 2 == 4 is false");
  CHECK(reason(Json::array({"A.shape[0] > 2"}), workload) ==
        "constraint 'A.shape[0] > 2' does not hold, for 2 > 2 is false");
  const Json from_file = workload_json("w", blob_input("no/such/file"));
  CHECK(reason(Json::array({"A[0].item() == 1"}), from_file).empty());
  CHECK(validate::broken_constraint({}, model::parse_workload(workload.dump())).empty());
}
