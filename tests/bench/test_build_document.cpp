#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "bench/build_document.h"

using namespace fib;

namespace {

compile::BuildResult full_result() {
  compile::BuildResult result;
  result.outcome = compile::BuildResult::Outcome::kBuilt;
  result.artifact.kind = compile::Artifact::Kind::kTvmFfi;
  result.artifact.file = "/cache/torch/x.so";
  result.artifact.symbol = "run";
  result.artifact.returns_status = true;
  result.artifact.kernels = {"k"};
  result.artifact.module = "torch_x";
  result.artifact.entry_file = "/cache/main.py";
  result.artifact.runtime = "/lib/libtvm_ffi.so";
  result.artifact.style = {compile::CallingStyle::kValueReturning, true, "since it returns"};
  result.log = "log";
  result.from_cache = true;
  return result;
}

}  // namespace

TEST_CASE("a build's result travels with everything that it says") {
  const auto sent = full_result();
  const auto got = bench::parse_build_result(bench::to_json(sent));
  CHECK(got.outcome == sent.outcome);
  CHECK(got.artifact.kind == sent.artifact.kind);
  CHECK(got.artifact.file == sent.artifact.file);
  CHECK(got.artifact.symbol == sent.artifact.symbol);
  CHECK(got.artifact.returns_status);
  CHECK(got.artifact.kernels == sent.artifact.kernels);
  CHECK(got.artifact.module == sent.artifact.module);
  CHECK(got.artifact.entry_file == sent.artifact.entry_file);
  CHECK(got.artifact.runtime == sent.artifact.runtime);
  CHECK(got.artifact.style.style == sent.artifact.style.style);
  CHECK(got.artifact.style.inferred);
  CHECK(got.artifact.style.reason == sent.artifact.style.reason);
  CHECK(got.log == "log");
  CHECK(got.from_cache);
}

TEST_CASE("a result with a number that stands for nothing is refused") {
  for (const char* field : {"/outcome", "/kind", "/style/style"}) {
    for (const int number : {-1, 6, 99}) {
      auto json = nlohmann::json::parse(bench::to_json(full_result()));
      json[nlohmann::json::json_pointer(field)] = number;
      CHECK_THROWS_AS(bench::parse_build_result(json.dump()), Error);
    }
  }
}

TEST_CASE("a build's request holds the interpreter and the headers of TVM-FFI") {
  bench::BuildRequest request;
  request.solution = model::parse_solution(
      R"({"name": "s", "definition": "d", "author": "a", "spec": {"language": "python", "target_hardware":
      ["cpu"], "entry_point": "a.py::run"}, "sources": [{"path": "a.py", "content": "x"}]})");
  request.definition = model::parse_definition(
      R"({"name": "d", "op_type": "o", "axes": {}, "inputs": {}, "outputs": {}, "reference": "def run(): pass"})");
  request.target = {model::DeviceKind::cuda, "sm_90a", std::nullopt};
  CHECK_FALSE(bench::BuildRequest::parse(request.to_json()).target.python);
  CHECK_FALSE(bench::BuildRequest::parse(request.to_json()).target.tvm_ffi);
  request.target.python =
      compile::PythonInterpreter{"/p/python3", "3.12.1", "abi", {{"torch", "2"}}, "13.0", true};
  request.target.compilers = 3;
  request.target.tvm_ffi = compile::TvmFfi{"/t/include", "/t/dlpack", "/t/libtvm_ffi.so", "0.1.0"};
  const auto copy = bench::BuildRequest::parse(request.to_json());
  REQUIRE(copy.target.tvm_ffi);
  CHECK(copy.target.tvm_ffi->dlpack == "/t/dlpack");
  CHECK(copy.target.compilers == 3);
  REQUIRE(copy.target.python);
  CHECK(copy.target.python->path == "/p/python3");
  CHECK(copy.target.python->packages.at("torch") == "2");
  CHECK(copy.target.architecture == "sm_90a");
}
