#include <catch2/catch.hpp>

#include "eval/layout.h"
#include "util/error.h"

using namespace fib;

namespace {

model::Definition definition(const std::string& dtype = "bfloat16") {
  return model::parse_definition(
      R"({"name": "d", "op_type": "o", "axes": {"m": {"type": "var"}, "k": {"type": "const",
    "value": 3}, "n": {"type": "var"}}, "inputs": {"a": {"shape": ["m", "k"], "dtype": ")" +
      dtype +
      R"("}, "s": {"shape": null, "dtype": "float32"}, "z": {"shape": [], "dtype": "int64"}},
    "outputs": {"c": {"shape": ["n"], "dtype": "float4_e2m1"}, "e": {"shape": ["n", "m"], "dtype": "bool"}},
    "reference": "def run(a, s, z): pass"})");
}

model::Workload workload(const std::string& axes) {
  return model::parse_workload(R"({"axes": )" + axes + R"(, "inputs": {}, "uuid": "w"})");
}

}  // namespace

TEST_CASE("tensors and scalars lie one after the other, aligned") {
  const auto layout = eval::make_layout(definition(), workload(R"({"n": 5, "m": 100})"));
  REQUIRE(layout.inputs.size() == 3);
  CHECK(layout.inputs[0].shape == std::vector<std::int64_t>{100, 3});
  CHECK(layout.inputs[0].bytes == 600);
  CHECK(layout.inputs[1].scalar);
  CHECK(layout.inputs[1].offset == 768);
  CHECK(layout.inputs[1].bytes == 8);
  CHECK(layout.inputs[2].offset == 1024);
  CHECK(layout.inputs[2].bytes == 8);
  CHECK(layout.input_bytes == 1032);
  CHECK(layout.input_stride() == 1280);
  CHECK(layout.outputs[0].bytes == 3);  // five packed halves
  CHECK(layout.outputs[1].count() == 500);
  CHECK(layout.output_stride() == 768);
  CHECK(layout.axes == std::vector<std::int64_t>{100, 5});  // the definition's order
  CHECK(eval::is_sound(layout));
}

TEST_CASE("an empty dimension makes an empty tensor") {
  const auto layout = eval::make_layout(definition(), workload(R"({"n": 0, "m": 0})"));
  CHECK(layout.inputs[0].bytes == 0);
  CHECK(eval::is_sound(layout));
}

TEST_CASE("sizes that cannot be are errors") {
  CHECK_THROWS_AS(eval::make_layout(definition(), workload(R"({"m": 1})")), Error);
  CHECK_THROWS_AS(eval::make_layout(definition(), workload(R"({"n": 5, "m": 9000000000000000000})")), Error);
}
