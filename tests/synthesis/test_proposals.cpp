#include <cmath>
#include <set>

#include "model/workload.h"
#include "synthesis/proposals.h"
#include "synthesis/support.h"

using namespace fib;
using namespace fib::testing;

namespace {

std::int64_t axis(const model::Workload& workload, const std::string& name) {
  const auto* value = model::find(workload.axes, name);
  REQUIRE(value != nullptr);
  return value->value;
}

}  // namespace

TEST_CASE("workloads are proposed from small to medium, each once, always the same") {
  const auto definition = definition_of(R"({"M": {"type": "var"}, "K": {"type": "const", "value": 8}})",
                                        R"({"A": {"shape": ["M", "K"], "dtype": "float16"}})");
  const auto workloads = synthesis::propose_workloads(definition, 6);
  REQUIRE(workloads.size() == 6);
  CHECK(axis(workloads[0], "M") == 4);
  CHECK(axis(workloads[1], "M") == 13);
  CHECK(axis(workloads[2], "M") == 64);
  std::set<std::string> uuids;
  for (const auto& workload : workloads) {
    uuids.insert(workload.uuid);
    REQUIRE(workload.inputs.size() == 1);
    CHECK(workload.inputs[0].second.kind == model::InputKind::random);
    // As it would be read back from a file.
    CHECK(model::to_json(model::parse_workload(model::to_json(workload))) == model::to_json(workload));
  }
  CHECK(uuids.size() == 6);
  const auto again = synthesis::propose_workloads(definition, 2);
  CHECK(again[1].uuid == workloads[1].uuid);
  CHECK(workloads[0].uuid.starts_with("synthetic-"));
}

TEST_CASE("a definition without variable axes has one workload") {
  const auto definition = definition_of(R"({"K": {"type": "const", "value": 8}})",
                                        R"({"A": {"shape": ["K"], "dtype": "float16"}})");
  CHECK(synthesis::propose_workloads(definition, 5).size() == 1);
}

TEST_CASE("sizes keep the constraints over axes") {
  const auto definition = definition_of(
      R"({"batch_size": {"type": "var"}, "len_indptr": {"type": "var"}, "pool_size": {"type": "var"},
          "odd": {"type": "var"}, "seq_len": {"type": "var"}, "max_num_pages": {"type": "var"},
          "num_pages": {"type": "var"}, "page_size": {"type": "const", "value": 64}})",
      R"({"A": {"shape": ["batch_size"], "dtype": "float32"}})",
      R"(["len_indptr == batch_size + 1", "pool_size >= 4 * batch_size", "odd % 7 == 3", "seq_len > 50",
          "2048 <= max_num_pages * page_size"])");
  for (const auto& workload : synthesis::propose_workloads(definition, 4)) {
    CHECK(axis(workload, "len_indptr") == axis(workload, "batch_size") + 1);
    CHECK(axis(workload, "pool_size") >= 4 * axis(workload, "batch_size"));
    CHECK(axis(workload, "odd") % 7 == 3);
    CHECK(axis(workload, "seq_len") > 50);
    CHECK(axis(workload, "max_num_pages") >= 32);
    CHECK(axis(workload, "num_pages") >= axis(workload, "batch_size") * axis(workload, "max_num_pages"));
  }
  const auto impossible = definition_of(R"({"n": {"type": "var"}})",
                                        R"({"A": {"shape": ["n"], "dtype": "float32"}})", R"(["n < 0"])");
  CHECK_THROWS_WITH(synthesis::propose_workloads(impossible, 1),
                    "no sizes keep the constraint \"n < 0\" of d");
}

TEST_CASE("sizes are halved until they fit, or the definition is refused") {
  const auto definition = definition_of(R"({"M": {"type": "var"}, "K": {"type": "const", "value": 1024}})",
                                        R"({"A": {"shape": ["M", "K"], "dtype": "int8"}})");
  const auto workloads = synthesis::propose_workloads(definition, 3, {20 * 1024});
  REQUIRE(workloads.size() == 3);
  CHECK(axis(workloads[2], "M") == 16);
  CHECK_THROWS_WITH(synthesis::propose_workloads(definition, 1, {100}),
                    Catch::Contains("even at its smallest sizes"));
}

TEST_CASE("scalars have sensible values") {
  const auto definition = definition_of(
      R"({"n": {"type": "var"}, "head_dim": {"type": "const", "value": 64},
          "num_experts": {"type": "const", "value": 8}, "num_local_experts": {"type": "const", "value": 2}})",
      R"({"sm_scale": {"shape": null, "dtype": "float32"},
          "scale": {"shape": null, "dtype": "float32", "description": "Default is 1/sqrt(128 + 64)."},
          "eps": {"shape": null, "dtype": "float32"},
          "routed_scaling_factor": {"shape": null, "dtype": "float32"},
          "local_expert_offset": {"shape": null, "dtype": "int32"},
          "other": {"shape": null, "dtype": "float32"}})");
  const auto inputs = synthesis::propose_workloads(definition, 1).at(0).inputs;
  const auto real = [&](const char* name) {
    return std::get<double>(model::find(inputs, name)->scalar.value);
  };
  CHECK(real("sm_scale") == 0.125);
  CHECK(real("scale") == Approx(1 / std::sqrt(192.0)));
  CHECK(real("eps") == 1e-6);
  CHECK(real("routed_scaling_factor") == 2.5);
  CHECK(std::get<std::int64_t>(model::find(inputs, "local_expert_offset")->scalar.value) % 2 == 0);
  CHECK(model::find(inputs, "other")->kind == model::InputKind::random);
}

TEST_CASE("integers that cannot be made are refused before a workload names them") {
  const auto definition =
      definition_of(R"({"n": {"type": "var"}})", R"({"magic": {"shape": ["n"], "dtype": "int32"}})");
  CHECK_THROWS_WITH(synthesis::propose_workloads(definition, 1), Catch::Contains("input \"magic\" of d"));
}
