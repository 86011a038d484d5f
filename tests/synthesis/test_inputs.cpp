#include "support/temporary.h"
#include "synthesis/inputs.h"
#include "synthesis/support.h"
#include "tensor/safetensors.h"

using namespace fib;
using namespace fib::testing;
using Names = std::vector<std::string>;

namespace {

const char* const kAxes =
    R"({"n": {"type": "var"}, "m": {"type": "var"}, "head_dim": {"type": "const", "value": 64}})";

model::Definition ragged() {
  return definition_of(kAxes,
                       R"({"k": {"shape": ["m"], "dtype": "float32"},
                           "qo_indptr": {"shape": ["n"], "dtype": "int32"},
                           "kv_indptr": {"shape": ["n"], "dtype": "int64"},
                           "weights": {"shape": ["m"], "dtype": "int8"},
                           "sm_scale": {"shape": null, "dtype": "float32"}})",
                       R"json(["m == kv_indptr[-1].item()", "m == qo_indptr[-1].item()"])json");
}

model::Workload workload_of(const std::string& inputs, const std::string& uuid = "w") {
  return model::parse_workload(R"({"axes": {"n": 4, "m": 30}, "inputs": )" + inputs + R"(, "uuid": ")" +
                               uuid + R"("})");
}

model::Workload all_blobs(const std::string& uuid = "w") {
  std::string inputs;
  for (const std::string name : {"k", "qo_indptr", "kv_indptr", "weights", "sm_scale"}) {
    inputs += (inputs.empty() ? "{\"" : ", \"") + name +
              R"(": {"type": "safetensors", "path": "b", "tensor_key": ")" + name + "\"}";
  }
  return workload_of(inputs + "}", uuid);
}

}  // namespace

TEST_CASE("made are inputs whose files are missing and random integers that mean something") {
  const auto definition = ragged();
  CHECK(synthesis::inputs_to_make(definition, workload_of("{}"), {}) == Names{"qo_indptr", "kv_indptr"});
  CHECK(synthesis::inputs_to_make(definition, all_blobs(), {}).empty());
  CHECK(synthesis::inputs_to_make(definition, all_blobs(), {"sm_scale", "k", "kv_indptr"}) ==
        Names{"k", "kv_indptr", "sm_scale"});
}

TEST_CASE("made tensors follow from the uuid; floats become random and scalars literal") {
  const auto definition = ragged();
  const Names names = {"k", "qo_indptr", "kv_indptr", "sm_scale"};
  const auto made = synthesis::make_inputs(definition, all_blobs(), names, {});
  REQUIRE(made.tensors.size() == 2);
  CHECK(made.tensors.at("qo_indptr").size() == 4 * sizeof(std::int32_t));
  CHECK(made.tensors.at("kv_indptr").size() == 4 * sizeof(std::int64_t));
  CHECK(synthesis::from_bytes(made.tensors.at("kv_indptr").data(), 4, "int64").back() == 30);
  const auto spec = [&](const char* name) { return *model::find(made.workload.inputs, name); };
  CHECK(spec("k").kind == model::InputKind::random);
  CHECK(spec("sm_scale").kind == model::InputKind::scalar);
  CHECK(std::get<double>(spec("sm_scale").scalar.value) == 0.125);
  CHECK(spec("weights").kind == model::InputKind::safetensors);
  CHECK(synthesis::make_inputs(definition, all_blobs(), names, {}).tensors == made.tensors);
  CHECK(synthesis::make_inputs(definition, all_blobs("v"), names, {}).tensors != made.tensors);
}

TEST_CASE("tensors that are there decide") {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> queries = {0, 27, 28, 30};
  const auto file = folder.path() / "b.safetensors";
  tensor::write_safetensors(file, {{"qo_indptr", tensor::DType::kInt32, {4}, queries.data()}});
  const auto made =
      synthesis::make_inputs(ragged(), all_blobs(), {"kv_indptr"}, {{"qo_indptr", file}, {"weights", file}});
  // As many keys as queries, so nothing is left to chance.
  CHECK(synthesis::from_bytes(made.tensors.at("kv_indptr").data(), 4, "int64") == Integers{0, 27, 28, 30});
}

TEST_CASE("the keys of gdn are made shorter than 1, other keys are not") {
  const auto shaped = [](const std::string& op_type) {
    return definition_of(kAxes, R"({"k": {"shape": ["n", "head_dim"], "dtype": "bfloat16"}})", "[]", op_type);
  };
  CHECK(synthesis::inputs_to_make(shaped("gdn"), workload_of("{}"), {}) == Names{"k"});
  CHECK(synthesis::inputs_to_make(shaped("gqa"), workload_of("{}"), {}).empty());
  const auto made = synthesis::make_inputs(shaped("gdn"), workload_of("{}"), {"k"}, {});
  // 64 squares of N(0,1), each times 4^exponent.
  CHECK(made.exponents == std::map<std::string, int>{{"k", -4}});
  CHECK(made.tensors.empty());
}

TEST_CASE("8 bit numbers are random like floats; integers of which nothing is known are an error") {
  const auto made = synthesis::make_inputs(ragged(), all_blobs(), {"weights"}, {});
  CHECK(made.tensors.empty());
  CHECK(model::find(made.workload.inputs, "weights")->kind == model::InputKind::random);
  const auto unknown = definition_of(kAxes, R"({"magic": {"shape": ["n"], "dtype": "int32"}})");
  CHECK_THROWS_WITH(synthesis::make_inputs(unknown, workload_of("{}"), {"magic"}, {}),
                    Catch::Contains("nothing is known of what the int32 elements of input \"magic\" mean"));
}
