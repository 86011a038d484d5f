#include "validate/support.h"

using namespace fib::testing;
using fib::tensor::DType;

namespace {

Lines said_of(const Json& workload, const Checked& files = Checked()) {
  files.workloads(record(workload));
  return files.said("workload");
}

Lines broken(const std::string& text) { return {"info: 0/1 valid", "error: w: " + text}; }

}  // namespace

TEST_CASE("workload: counts those that are valid") {
  const Checked files;
  CHECK(files.said("workload") == Lines{"warning: no workload file found"});
  files.workloads(record(workload_json("w")) + "\n" + record(workload_json("v")));
  CHECK(files.said("workload") == Lines{"info: 2 valid"});
}

TEST_CASE("workload: axes and inputs are those of the definition") {
  Json workload = workload_json("w");
  workload["axes"] = {{"N", 4}};
  workload["inputs"].erase("s");
  workload["inputs"]["x"] = random_input();
  CHECK(said_of(workload) == Lines{"info: 0/1 valid", "error: w: missing axes ['M']",
                                   "error: w: extra axes ['N']", "error: w: missing inputs ['s']",
                                   "error: w: extra inputs ['x']"});
  workload = workload_json("w");
  workload["axes"]["M"] = 0;
  CHECK(said_of(workload) == broken("axis M has non-positive value 0"));
}

TEST_CASE("workload: kinds of inputs fit tensors and scalars") {
  Json workload = workload_json("w");
  workload["inputs"]["A"] = {{"type", "scalar"}, {"value", 1}};
  CHECK(said_of(workload) == broken("A is scalar but definition expects tensor"));
  workload = workload_json("w");
  workload["inputs"]["s"] = random_input();
  CHECK(said_of(workload) == broken("s is random but definition expects scalar"));
  workload["inputs"]["s"] = blob_input("a");
  CHECK(said_of(workload) == broken("s is safetensors but definition expects scalar"));
}

TEST_CASE("workload: blobs exist, open, hold the tensor, and it has the shape") {
  const Checked files;
  const auto said = [&](const Json& input) { return said_of(workload_json("w", input), files); };
  files.blob("blob/good.safetensors", DType::kFloat32, {2, 4}, std::vector<float>(8));
  files.blob("blob/flat.safetensors", DType::kFloat32, {8}, std::vector<float>(8));
  files.files.write("blob/garbage.safetensors", "garbage");
  CHECK(said(blob_input("./blob/good.safetensors")) == Lines{"info: 1 valid"});
  CHECK(said(blob_input("blob/none.safetensors")) == broken("blob missing at blob/none.safetensors"));
  CHECK(said(blob_input("blob/good.safetensors", "K")) ==
        broken("tensor key 'K' not found in blob/good.safetensors"));
  CHECK(said(blob_input("blob/flat.safetensors")) == broken("A shape mismatch: expected (2, 4), got (8,)"));
  const Lines garbage = said(blob_input("blob/garbage.safetensors"));
  REQUIRE(garbage.size() == 2);
  CHECK_THAT(garbage[1], Catch::StartsWith("error: w: blob load failed: "));
}

TEST_CASE("workload: a record with a solution is none") {
  const Checked files;
  files.workloads(record(workload_json("w"), "s"));
  CHECK(files.said("workload") == broken("workload entry should not have solution or evaluation"));
}

TEST_CASE(
    "workload: a line that does not parse ends the check upstream, and is one of several messages else") {
  const Checked files;
  files.workloads("1\n" + record(workload_json("w"), "s") + "2\n");
  CHECK(files.said("workload", kUpstream) == Lines{"error: parse error: Input should be an object (line 1)"});
  CHECK(files.said("workload") == Lines{"error: parse error: Input should be an object (line 1)",
                                        "error: parse error: Input should be an object (line 3)",
                                        "error: w: workload entry should not have solution or evaluation"});
}

TEST_CASE("workload: bare workloads are read in lenient mode") {
  const Checked files;
  files.workloads(workload_json("w").dump() + "\n");
  CHECK(files.said("workload") == Lines{"info: 1 valid"});
  CHECK(files.said("workload", kUpstream).size() == 1);
  CHECK_THAT(files.said("workload", kUpstream)[0], Catch::StartsWith("error: parse error: "));
}

TEST_CASE("workload: without its definition nothing can be said") {
  const Checked files;
  files.workloads(record(workload_json("w")));
  files.files.write("definitions/op/d.json", "{}");
  CHECK(files.said("workload") == Lines{"error: cannot validate workloads: definition failed to load"});
}
