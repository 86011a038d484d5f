#include "compile/calling_style.h"
#include "compile/python_tests.h"
#include "dataset/load.h"
#include "support/places.h"
#include "util/files.h"

using namespace fib;
using compile::CallingStyle;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr auto kReturns = CallingStyle::kValueReturning;
constexpr auto kWrites = CallingStyle::kDestinationPassing;

const model::Definition& two_in_one_out() {
  static const auto d = testing::definition({"x", "w"}, {"y"});
  return d;
}

compile::ChosenStyle style_of(const std::string& source, const json& more = json::object()) {
  return compile::calling_style(testing::solution("python", "main.py::run", {{"main.py", source}}, more),
                                two_in_one_out());
}

compile::ChosenStyle style_of_cpp(const std::string& source) {
  const auto s = testing::solution("cpp", "a.cpp::run", {{"a.cpp", source}}, {{"binding", "torch"}});
  return compile::calling_style(s, two_in_one_out());
}

const std::string kBind = "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n";

}  // namespace

TEST_CASE("a solution that says its calling style has it, whatever its sources look like") {
  const auto returns = style_of("def run(x, w, y): pass\n", {{"destination_passing_style", false}});
  CHECK(returns.style == kReturns);
  CHECK_FALSE(returns.inferred);
  CHECK(returns.reason.empty());
  CHECK(style_of("def run(x, w): return x\n", {{"destination_passing_style", true}}).style == kWrites);
}

TEST_CASE("without it, a Python function that returns a value returns the outputs") {
  const auto style = style_of("import torch\ndef run(x, w):\n  return x * w\n");
  CHECK(style.style == kReturns);
  CHECK(style.inferred);
  CHECK(style.reason ==
        "the solution does not say destination_passing_style: called as value-returning, since run in "
        "main.py:2 returns a value");
  CHECK(style_of("def run(x, w, y):\n  y.copy_(x)\n").style == kWrites);
  CHECK(style_of("def run(x, w, eps=1e-6):\n  return x\n").style == kReturns);
}

TEST_CASE("a function that returns a value but has parameters for the outputs writes to them") {
  const auto needs = style_of("def run(x, w, out):\n  return out\n");
  CHECK(needs.style == kWrites);
  CHECK_THAT(needs.reason, Catch::EndsWith("run in main.py:1 needs 3 arguments, more than there are inputs"));
  const auto named = style_of("def run(x, w, y=None):\n  return y\n");
  CHECK(named.style == kWrites);
  CHECK_THAT(named.reason, Catch::EndsWith("has parameters for the outputs"));
  CHECK(style_of("def run(*, y, w, x):\n  return y\n").style == kWrites);
  CHECK(style_of("def run(*, w, x):\n  return x\n").style == kReturns);
}

TEST_CASE("what cannot be seen has the format's default, and the reason says so") {
  const auto style = style_of("from .kernel import run\n");
  CHECK(style.style == kWrites);
  CHECK(style.inferred);
  CHECK_THAT(style.reason, Catch::EndsWith("since no function run can be seen in main.py; that is the "
                                           "format's default"));
  CHECK_THAT(style_of_cpp("int x;").reason,
             Catch::Contains("the function that m.def(\"run\", …) binds cannot be seen"));
}

TEST_CASE("without it, a C++ function whose type is not void returns the outputs") {
  const auto style =
      style_of_cpp("torch::Tensor run(torch::Tensor x, torch::Tensor w) { return x; }" + kBind);
  CHECK(style.style == kReturns);
  CHECK_THAT(style.reason, Catch::EndsWith("since run in a.cpp:1 returns torch::Tensor"));
  CHECK(style_of_cpp("void run(torch::Tensor x, torch::Tensor w, torch::Tensor y) {}" + kBind).style ==
        kWrites);
  CHECK(
      style_of_cpp("at::Tensor run(at::Tensor x, at::Tensor w, at::Tensor y) { return y; }" + kBind).style ==
      kWrites);
}

TEST_CASE("how many arguments a call passes") {
  CHECK(compile::argument_count(kReturns, two_in_one_out()) == 2);
  CHECK(compile::argument_count(kWrites, two_in_one_out()) == 3);
}

TEST_CASE("all published solutions of the A800 set return their outputs, and that is seen") {
  const fs::path data = testing::source_folder() / "../shared/data";
  if (!fs::exists(data / "real/fib_a800/solutions")) {
    WARN("skipped: no real solutions beside the project");
    return;
  }
  const auto definitions = dataset::load(data / "flashinfer_trace", {}).definitions;
  std::size_t count = 0;
  for (const auto& file : fs::directory_iterator(data / "real/fib_a800/solutions")) {
    auto solution = model::parse_solution(util::read_file(file.path()));
    INFO(solution.name);
    // Three of them say so themselves: their sources must tell the same.
    const bool said = solution.spec.destination_passing.has_value();
    solution.spec.destination_passing.reset();
    const auto style = compile::calling_style(solution, definitions.at(solution.definition));
    INFO(style.reason);
    CHECK(style.style == kReturns);
    CHECK(style.inferred);
    count += said ? 0 : 1;
  }
  CHECK(count == 8);
}

TEST_CASE("a function that TVM-FFI exports returns its outputs when its type is not void") {
  const auto style_of_ffi = [](const std::string& source) {
    const auto s = testing::solution("cpp", "a.cpp::run", {{"a.cpp", source}}, {{"binding", "tvm-ffi"}});
    return compile::calling_style(s, two_in_one_out());
  };
  const auto returns = style_of_ffi(
      "ffi::Tensor scale(ffi::TensorView x, ffi::TensorView w) { return f(x); "
      "}\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, scale);\n");
  CHECK(returns.style == kReturns);
  CHECK(returns.inferred);
  CHECK(returns.reason.find("scale in a.cpp:1 returns ffi::Tensor") != std::string::npos);
  const auto writes = style_of_ffi(
      "void scale(ffi::TensorView x, ffi::TensorView w, ffi::TensorView y) "
      "{}\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, scale);\n");
  CHECK(writes.style == kWrites);
  const auto unseen = style_of_ffi("TVM_FFI_DLL_EXPORT_TYPED_FUNC(walk, scale);\n");
  CHECK(unseen.style == kWrites);
  CHECK(unseen.reason.find("the function that is exported as run cannot be seen") != std::string::npos);
}
