#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "bench/build_document.h"

using namespace fib;

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
