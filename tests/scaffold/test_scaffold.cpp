#include <catch2/catch.hpp>

#include "model/definition.h"
#include "python/parser.h"
#include "scaffold/definition.h"
#include "scaffold/names.h"
#include "scaffold/solution.h"
#include "scaffold/workload.h"
#include "support/process.h"
#include "support/temporary.h"
#include "util/files.h"

using namespace fib;
using scaffold::Form;
using scaffold::SourceLanguage;

namespace {

// Names and texts that would end a comment or a string, are keywords, or no identifiers.
model::Definition hostile() {
  return model::parse_definition(R"({
    "name": "x */ \" \"\"\" \\", "op_type": "t", "description": "first \\ulin \\N{x} line \\\nsecond */ \"\"\" line",
    "axes": {"m": {"type": "const", "value": 2}, "class": {"type": "var"}, "1 x": {"type": "const", "value": 3}, "e": {"type": "expr", "expression": "m * 2"}},
    "inputs": {"int": {"shape": ["class", "1 x"], "dtype": "bfloat16"}, "a-b": {"shape": null, "dtype": "int64"},
               "a b": {"shape": null, "dtype": "float16"}, "run": {"shape": [], "dtype": "bool"}},
    "outputs": {"void": {"shape": ["class", "2"], "dtype": "float4_e2m1"}, "lambda": {"shape": ["e"], "dtype": "int8"}},
    "reference": "def run  (a, b, c, d):\n    return a, b"})");
}

std::vector<model::Definition> all_definitions() {
  return {hostile(), scaffold::new_definition("one", "", Form::elementwise),
          scaffold::new_definition("two", "", Form::rows),
          scaffold::new_definition("three", "my_op", Form::matmul)};
}

// What the compiler says of the source, warnings included.
std::string compiled(const std::string& source, const std::string& compiler, const std::string& name) {
  const testing::TemporaryFolder folder;
  util::write_file_atomic(folder.path() / name, source);
  const auto done =
      testing::run_process({compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter",
                            "-Wno-unused-variable", (folder.path() / name).string()});
  return done.out + done.err;
}

}  // namespace

TEST_CASE("new definitions are whole, and their workloads fit") {
  for (const Form form : {Form::elementwise, Form::rows, Form::matmul}) {
    const auto definition = scaffold::new_definition("mine", "", form);
    CHECK(definition.name == "mine");
    CHECK_FALSE(definition.op_type.empty());
    CHECK_NOTHROW((void)python::parse_module(definition.reference));
    const auto workloads = scaffold::usual_workloads(definition);
    REQUIRE(workloads.size() == 3);
    for (const auto& workload : workloads) {
      CHECK(workload.inputs.size() == definition.inputs.size());
      CHECK(workload.axes.size() == model::var_axes(definition).size());
    }
    CHECK(workloads[0].uuid != workloads[1].uuid);
  }
  CHECK(scaffold::new_definition("mine", "my_op", Form::rows).op_type == "my_op");
  CHECK_THROWS(scaffold::new_definition("", "", Form::rows));
}

TEST_CASE("a workload has the sizes and scalars that it is given, and the same uuid for the same ones") {
  const auto definition = hostile();
  const std::map<std::string, std::string> scalars = {{"a-b", "3"}, {"a b", "1e-6"}};
  const auto workload = scaffold::new_workload(definition, {{"class", 7}}, scalars);
  CHECK(workload.axes.at(0).second == model::Integer(7));
  CHECK(std::get<std::int64_t>(model::find(workload.inputs, "a-b")->scalar.value) == 3);
  CHECK(workload.uuid.size() == 36);
  CHECK(scaffold::new_workload(definition, {{"class", 7}}, scalars).uuid == workload.uuid);
  CHECK(scaffold::new_workload(definition, {{"class", 8}}, scalars).uuid != workload.uuid);
  CHECK_THROWS_WITH(scaffold::new_workload(definition, {{"class", 0}}, scalars),
                    "class=0: a size is at least 1");
  CHECK_THROWS_WITH(scaffold::new_workload(definition, {}, scalars), "the axis class needs a size");
  CHECK_THROWS_WITH(scaffold::new_workload(definition, {{"class", 7}}, {}),
                    "the scalar input a-b needs a value: --set a-b=...");
  CHECK_THROWS_WITH(scaffold::new_workload(definition, {{"class", 7}, {"1 x", 3}}, scalars),
                    Catch::EndsWith("has no variable axis 1 x"));
  CHECK_THROWS_WITH(scaffold::new_workload(definition, {{"class", 7}}, {{"a-b", "many"}, {"a b", "1"}}),
                    "a-b=many: the value of a scalar is a number, true or false");
}

TEST_CASE("sources in C and C++ compile, whatever the definition's names are") {
  for (const auto& definition : all_definitions()) {
    INFO(definition.name);
    CHECK(compiled(scaffold::new_source(definition, SourceLanguage::c), "cc", "a.c") == "");
    CHECK(compiled(scaffold::new_source(definition, SourceLanguage::cpp), "c++", "a.cpp") == "");
  }
}

TEST_CASE("sources in Python and Triton parse, and hold the reference under another name") {
  for (const auto& definition : all_definitions()) {
    INFO(definition.name);
    for (const auto language : {SourceLanguage::python, SourceLanguage::triton}) {
      const std::string source = scaffold::new_source(definition, language);
      CHECK_NOTHROW((void)python::parse_module(source));
      CHECK_THAT(source, Catch::Contains("def reference("));
    }
  }
}

TEST_CASE("texts of a definition are no escapes of Python, and one long name does not widen all lines") {
  auto definition = hostile();
  const testing::TemporaryFolder folder;
  util::write_file_atomic(folder.path() / "a.py", scaffold::new_source(definition, SourceLanguage::python));
  const auto done =
      testing::run_process({"python3", "-W", "error", "-m", "py_compile", (folder.path() / "a.py").string()});
  CHECK(done.err == "");
  definition.inputs.front().name = std::string(100'000, 'n');
  while (definition.inputs.size() < 200) {
    auto tensor = definition.inputs.back();
    tensor.name = "t" + std::to_string(definition.inputs.size());
    definition.inputs.push_back(tensor);
  }
  CHECK(scaffold::new_source(definition, SourceLanguage::c).size() < 2'000'000);
}

TEST_CASE("a CUDA source launches on the stream and returns what went wrong") {
  const std::string source =
      scaffold::new_source(scaffold::new_definition("norm", "", Form::rows), SourceLanguage::cuda);
  CHECK_THAT(source, Catch::Contains("extern \"C\" int run(const __nv_bfloat16* x,"));
  CHECK_THAT(source, Catch::Contains("std::int64_t rows,\n                   cudaStream_t stream) {"));
  CHECK_THAT(source, Catch::Contains("256, 0, stream>>>(y, elements);"));
}

TEST_CASE("identifiers are no keywords, differ, and are the same for the same name") {
  scaffold::Identifiers names;
  CHECK(names.of("tensor", "class") == "class_");
  CHECK(names.of("tensor", "a-b") == "a_b");
  CHECK(names.of("tensor", "a b") == "a_b_");
  CHECK(names.of("tensor", "a-b") == "a_b");
  CHECK(names.of("axis", "a-b") == "a_b__");
  CHECK(names.of("axis", "1") == "_1");
}
