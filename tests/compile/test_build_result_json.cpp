#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "compile/build_result_json.h"
#include "util/error.h"

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
  const auto got = compile::parse_build_result(compile::to_json(sent));
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
      auto json = nlohmann::json::parse(compile::to_json(full_result()));
      json[nlohmann::json::json_pointer(field)] = number;
      CHECK_THROWS_AS(compile::parse_build_result(json.dump()), Error);
    }
  }
}
