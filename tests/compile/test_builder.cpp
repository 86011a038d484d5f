#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "compile/builder.h"
#include "compile/elf_symbols.h"
#include "compile/native_builder.h"
#include "support/temporary.h"

using namespace fib;
using Outcome = compile::BuildResult::Outcome;
using nlohmann::json;

namespace {

const std::string kAdd =
    "extern \"C\" void run(const float* a, float* b, long n) { for (long i = 0; i < n; ++i) b[i] = a[i]; }\n";

model::Solution solution(const json& sources, const json& extra_spec = json::object()) {
  json spec = {{"language", "cpp"}, {"target_hardware", {"cpu"}}, {"entry_point", "a.cpp::run"}};
  spec.update(extra_spec);
  return model::parse_solution(
      json{{"name", "s"}, {"definition", "d"}, {"author", "a"}, {"spec", spec}, {"sources", sources}}.dump());
}

compile::BuildResult build(const model::Solution& s, const std::filesystem::path& cache) {
  return compile::build(s, {}, {}, cache);
}

model::Solution single(const std::string& source, const json& extra_spec = json::object()) {
  return solution({{{"path", "a.cpp"}, {"content", source}}}, extra_spec);
}

}  // namespace

TEST_CASE("a solution becomes a library that exports its symbol, and the second build finds it") {
  const testing::TemporaryFolder cache;
  const auto first = build(single(kAdd), cache.path());
  INFO(first.log);
  REQUIRE(first.outcome == Outcome::kBuilt);
  CHECK_FALSE(first.from_cache);
  CHECK(first.artifact.symbol == "run");
  CHECK(compile::exported_functions(first.artifact.file).contains("run"));
  const auto second = build(single(kAdd), cache.path());
  CHECK(second.from_cache);
  CHECK(second.artifact.file == first.artifact.file);
}

TEST_CASE("everything that changes the build changes the artifact") {
  const testing::TemporaryFolder cache;
  const auto library = [&](const model::Solution& s) {
    const auto result = build(s, cache.path());
    INFO(result.log);
    REQUIRE(result.outcome == Outcome::kBuilt);
    return result.artifact.file;
  };
  const auto base = library(single(kAdd));
  CHECK(library(single(kAdd + "//\n")) != base);
  CHECK(library(single(kAdd, {{"compile_options", {{"cflags", {"-DX"}}}}})) != base);
  CHECK(library(single(kAdd, {{"compile_options", {{"ld_flags", {"-lm"}}}}})) != base);
}

TEST_CASE("compile options reach compiler and linker, after the base flags") {
  const testing::TemporaryFolder cache;
  const std::string source =
      "#if !defined(WANTED) || __cplusplus != 202002L\n#error flags are missing\n#endif\n" + kAdd;
  CHECK(build(single(source), cache.path()).outcome == Outcome::kFailed);
  const json options = {
      {"compile_options", {{"cflags", {"-DWANTED", "-std=c++20"}}, {"ld_flags", {"-Wl,-soname,mine.so"}}}}};
  CHECK(build(single(source, options), cache.path()).outcome == Outcome::kBuilt);
}

TEST_CASE("sources that can be no files fail the build, and say why") {
  const testing::TemporaryFolder cache;
  model::Solution s = single(kAdd);
  const auto [path, why] =
      GENERATE(std::pair(std::string("a.cpp/b.h"), "another source has the name of its folder"),
               std::pair(std::string("b\0.h", 4), "its name holds a NUL byte"),
               std::pair(std::string("b/"), "its name is that of a folder"),
               std::pair(std::string(300, 'b'), "its name is too long"),
               std::pair(
                   [] {
                     std::string deep;
                     while (deep.size() < 6000) deep += "folder/";
                     return deep + "b.h";
                   }(),
                   "its path is too long"));
  s.sources.push_back({path, "int b();\n", {}});
  const auto result = build(s, cache.path());
  CHECK(result.outcome == Outcome::kFailed);
  CHECK_THAT(result.log, Catch::StartsWith("the source \"") && Catch::EndsWith(why));
}

TEST_CASE("headers and C sources in folders are part of the build") {
  const testing::TemporaryFolder cache;
  const auto result =
      build(solution({{{"path", "a.cpp"},
                       {"content", "#include \"deep/b.h\"\nextern \"C\" int run() { return b(); }\n"}},
                      {{"path", "deep/b.h"}, {"content", "extern \"C\" int b(void);\n"}},
                      {{"path", "deep/b.c"}, {"content", "int b(void) { int class = 3; return class; }\n"}}}),
            cache.path());
  INFO(result.log);
  REQUIRE(result.outcome == Outcome::kBuilt);
  CHECK(result.artifact.returns_status);
}

TEST_CASE("a failed build's log begins with the compiler's first error") {
  const testing::TemporaryFolder cache;
  const auto result = build(single("#warning look here\nint x = y;\n"), cache.path());
  REQUIRE(result.outcome == Outcome::kFailed);
  CHECK(result.log.find("a.cpp:2:9: error: 'y' was not declared") == 0);
  CHECK(result.log.find("look here") != std::string::npos);
}

TEST_CASE("missing symbols, undefined symbols and missing sources fail with a reason") {
  const testing::TemporaryFolder cache;
  const auto log = [&](const model::Solution& s) {
    const auto result = build(s, cache.path());
    CHECK(result.outcome == Outcome::kFailed);
    return result.log;
  };
  CHECK(log(single("void run() {}\n")).find("extern \"C\"") != std::string::npos);
  CHECK(log(single("extern \"C\" void other() {}\n")).find("it exports: other") != std::string::npos);
  CHECK(log(single("void f(); extern \"C\" void run() { f(); }\n")).find("undefined reference") !=
        std::string::npos);
  CHECK(log(solution({{{"path", "a.h"}, {"content", "x"}}}, {{"entry_point", "a.h::run"}}))
            .find("no source can be compiled") == 0);
  CHECK(log(solution({{{"path", "a.cu"}, {"content", "x"}}}, {{"entry_point", "a.cu::run"}})) ==
        "its sources are CUDA, and the device is the CPU");
  CHECK(log(solution({{{"path", "a.cpp"}, {"content", "x"}}, {{"path", "./a.cpp"}, {"content", "y"}}}))
            .find("same file") != std::string::npos);
}

TEST_CASE("what no builder takes says so") {
  const testing::TemporaryFolder cache;
  const auto result = build(single(kAdd, {{"binding", "swig"}}), cache.path());
  CHECK(result.outcome == Outcome::kUnsupported);
  CHECK(result.log.find("swig") != std::string::npos);
}

TEST_CASE("processes that want the same artifact at once build it once") {
  const testing::TemporaryFolder cache;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const auto result = build(single(kAdd), cache.path());
      ::_exit(result.outcome != Outcome::kBuilt ? 2 : result.from_cache ? 1 : 0);
    }
    children.push_back(pid);
  }
  int built = 0;
  for (const pid_t pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) < 2);
    built += WEXITSTATUS(status) == 0 ? 1 : 0;
  }
  CHECK(built == 1);
}

TEST_CASE("what a killed build left behind is removed by the next") {
  const testing::TemporaryFolder cache;
  const auto first = build(single(kAdd), cache.path());
  const auto folder = first.artifact.file.parent_path();
  std::filesystem::remove_all(folder);
  const std::filesystem::path leftover = folder.string() + ".tmp-killed";
  std::filesystem::create_directory(leftover);
  CHECK(build(single(kAdd), cache.path()).outcome == Outcome::kBuilt);
  CHECK_FALSE(std::filesystem::exists(leftover));
}

TEST_CASE("compilers are named by one line; one that cannot be started is not named") {
  const auto versions = compile::compiler_versions(model::DeviceKind::cpu);
  CHECK_FALSE(versions.cxx.empty());
  CHECK(versions.cxx.find('\n') == std::string::npos);
  CHECK(versions.nvcc.empty());
  const char* before = std::getenv("CXX");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("CXX", "/no/such/compiler", 1);
  CHECK(compile::compiler_versions(model::DeviceKind::cpu).cxx.empty());
  before != nullptr ? ::setenv("CXX", kept.c_str(), 1) : ::unsetenv("CXX");
}
