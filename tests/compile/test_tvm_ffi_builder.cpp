#include "compile/builder.h"
#include "compile/elf_symbols.h"
#include "compile/python_tests.h"
#include "support/temporary.h"
#include "support/tvm_ffi.h"
#include "util/files.h"

using namespace fib;
using Outcome = compile::BuildResult::Outcome;

namespace {

const std::string kHeaders = "#include <tvm/ffi/container/tensor.h>\n#include <tvm/ffi/function.h>\n";

model::Solution solution(const std::string& source, const nlohmann::json& more = nlohmann::json::object(),
                         const std::string& file = "a.cpp") {
  nlohmann::json spec = {{"binding", "tvm-ffi"}};
  spec.update(more);
  return testing::solution("cpp", file + "::run", {{file, source}}, spec);
}

compile::BuildTarget target(const std::string& home = "") {
  compile::BuildTarget one;
  if (home.empty()) return one;
  const std::filesystem::path root = home;
  one.tvm_ffi = compile::TvmFfi{root / "include", root / "include", root / "lib/libtvm_ffi.so", "0"};
  return one;
}

}  // namespace

TEST_CASE("a TVM-FFI solution becomes a library that is linked to fib's runtime") {
  const testing::TemporaryFolder cache;
  for (const char* file : {"a.c", "a.cpp"}) {
    const auto s = solution(testing::kTvmFfiAdd, nlohmann::json::object(), file);
    const auto built = compile::build(s, {}, target(), cache.path());
    INFO(built.log);
    REQUIRE(built.outcome == Outcome::kBuilt);
    CHECK(built.artifact.kind == compile::Artifact::Kind::kTvmFfi);
    CHECK(built.artifact.symbol == "__tvm_ffi_run");
    CHECK(built.artifact.runtime == compile::tvm_ffi_runtime());
    CHECK(compile::exported_functions(built.artifact.file).contains("__tvm_ffi_run"));
    const auto again = compile::build(s, {}, target(), cache.path());
    CHECK(again.from_cache);
    CHECK(again.artifact.runtime == built.artifact.runtime);
  }
}

TEST_CASE("a solution without a binding is built by what its sources say") {
  const testing::TemporaryFolder cache;
  const auto built =
      compile::build(solution(testing::kTvmFfiAdd, {{"binding", nullptr}}), {}, target(), cache.path());
  CHECK(built.artifact.kind == compile::Artifact::Kind::kTvmFfi);
}

TEST_CASE("the entry point has to be exported for TVM-FFI") {
  const testing::TemporaryFolder cache;
  const auto plain = compile::build(solution("extern \"C\" void run() {}"), {}, target(), cache.path());
  CHECK(plain.outcome == Outcome::kFailed);
  CHECK(plain.log ==
        "the library does not export __tvm_ffi_run: TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, function) does that");
  const auto other =
      compile::build(solution("extern \"C\" void __tvm_ffi_walk() {}"), {}, target(), cache.path());
  CHECK(other.log == "the library does not export __tvm_ffi_run; of TVM-FFI it exports: walk");
}

TEST_CASE("functions that no runtime has are named") {
  const testing::TemporaryFolder cache;
  const auto built = compile::build(
      solution("extern \"C\" { int TVMFFIWonder(); int __tvm_ffi_run() { return TVMFFIWonder(); } }"), {},
      target(), cache.path());
  CHECK(built.outcome == Outcome::kFailed);
  CHECK_THAT(built.log, Catch::StartsWith("fib's runtime for TVM-FFI lacks TVMFFIWonder, and there is no "
                                          "libtvm_ffi.so (install apache-tvm-ffi)\n"));
}

TEST_CASE("solutions that include headers of TVM-FFI are not done where there are none") {
  const auto reason = [](const model::Solution& s, const std::optional<compile::TvmFfi>& package) {
    const auto obstacle = compile::unsupported_reason(s, model::DeviceKind::cpu, std::nullopt, package,
                                                      compile::TorchWay::kAuto);
    return obstacle ? obstacle->why : "";
  };
  const auto s = solution(kHeaders);
  CHECK(reason(s, std::nullopt) ==
        "it needs the headers of TVM-FFI: install apache-tvm-ffi for the Python that fib uses (pip install "
        "apache-tvm-ffi), or set FIB_TVM_FFI_HOME to a folder with include/tvm/ffi");
  CHECK(reason(s, compile::TvmFfi{}).empty());
  CHECK(reason(solution(testing::kTvmFfiAdd), std::nullopt).empty());
  CHECK(reason(solution(kHeaders, {{"destination_passing_style", false}}), compile::TvmFfi{}).empty());
  const testing::TemporaryFolder cache;
  CHECK(compile::build(s, {}, target(), cache.path()).outcome == Outcome::kUnsupported);
}

TEST_CASE(
    "sources are compiled with the package's headers, and linked to its library where fib's runtime is too "
    "small") {
  for (const auto& home : testing::tvm_ffi_homes()) {
    CAPTURE(home);
    const testing::TemporaryFolder cache;
    const std::string function =
        "void f(tvm::ffi::TensorView x) { %; }\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);\n";
    const auto with = [&](const std::string& body) {
      std::string text = kHeaders + "#include <tvm/ffi/extra/c_env_api.h>\n" + function;
      text.replace(text.find('%'), 1, body);
      return compile::build(solution(text), {}, target(home), cache.path());
    };
    const auto small = with("(void)x");
    INFO(small.log);
    REQUIRE(small.outcome == Outcome::kBuilt);
    CHECK(small.artifact.runtime == compile::tvm_ffi_runtime());
    const auto more = with("TVMFFIEnvRegisterCAPI(\"x\", nullptr)");
    INFO(more.log);
    REQUIRE(more.outcome == Outcome::kBuilt);
    CHECK(more.artifact.runtime == home + "/lib/libtvm_ffi.so");
    const auto wrong = with("oops");
    CHECK(wrong.outcome == Outcome::kFailed);
    CHECK_THAT(wrong.log, Catch::StartsWith("a.cpp:4:") && Catch::Contains("'oops' was not declared"));
  }
}

TEST_CASE("the first error of the first source is first in the log, whichever compiler ends first") {
  const testing::TemporaryFolder cache;
  const auto s = testing::solution(
      "cpp", "a.cpp::run",
      {{"a.cpp", "#include <regex>\nint first = wrong;\n"}, {"b.cpp", "int second = wrong;\n"}},
      {{"binding", "tvm-ffi"}});
  const auto built = compile::build(s, {}, target(), cache.path());
  CHECK_THAT(built.log, Catch::StartsWith("a.cpp:2:13: error: 'wrong' was not declared in this scope"));
}

TEST_CASE("what a build has left says which runtime is meant, and no path") {
  const testing::TemporaryFolder cache;
  const auto s = solution(testing::kTvmFfiAdd);
  const auto built = compile::build(s, {}, target(), cache.path());
  REQUIRE(built.outcome == Outcome::kBuilt);
  CHECK(util::read_file(built.artifact.file.parent_path() / "runtime") == "own");
}

TEST_CASE("a function of any length that is missing is the solution's fault") {
  const testing::TemporaryFolder cache;
  const std::string name = "TVMFFI" + std::string(300'000, 'a');
  const auto built = compile::build(
      solution("extern \"C\" { int " + name + "(); int __tvm_ffi_run() { return " + name + "(); } }"), {},
      target(), cache.path());
  CHECK(built.outcome == Outcome::kFailed);
}
