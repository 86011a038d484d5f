#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "apply/build.h"
#include "support/places.h"
#include "util/error.h"
#include "util/files.h"

using namespace fib;

namespace {

apply::BuildOrder order(const std::string& source) {
  return {
      model::parse_solution(
          R"({"name":"s","definition":"d","author":"me","spec":{"language":"cpp","target_hardware":["cpu"],)"
          R"("entry_point":"main.cpp::run","dependencies":[]},"sources":[{"path":"main.cpp","content":")" +
          source + R"("}]})"),
      model::parse_definition(
          R"({"name":"d","op_type":"op","axes":{"n":{"type":"var"}},"inputs":{"x":{"shape":["n"],"dtype":"int32"}},)"
          R"("outputs":{"y":{"shape":["n"],"dtype":"int32"}},"reference":"def run(x):\n    return x\n"})")};
}

}  // namespace

TEST_CASE("an order travels as JSON") {
  auto sent = order("x");
  sent.device = model::DeviceKind::cuda;
  sent.architecture = "sm_90a";
  const auto got = apply::BuildOrder::parse(sent.to_json());
  CHECK(model::to_json(got.solution) == model::to_json(sent.solution));
  CHECK(model::to_json(got.definition) == model::to_json(sent.definition));
  CHECK(got.device == model::DeviceKind::cuda);
  CHECK(got.architecture == "sm_90a");
  CHECK_THROWS_WITH(apply::BuildOrder::parse("{}"), Catch::StartsWith("an order for a build is broken: "));
}

TEST_CASE("the program builds, and says why it cannot") {
  const util::TemporaryFolder folder(std::filesystem::temp_directory_path(), "fib-build-");
  ::setenv("FIB_CACHE_PATH", (folder.path() / "cache").c_str(), 1);
  const auto built = apply::build(testing::fib_binary(), order("extern \\\"C\\\" void run() {}"));
  REQUIRE(built.outcome == compile::BuildResult::Outcome::kBuilt);
  CHECK(std::filesystem::exists(built.artifact.file));
  CHECK(built.artifact.symbol == "run");
  const auto failed = apply::build(testing::fib_binary(), order("no C++"));
  CHECK(failed.outcome == compile::BuildResult::Outcome::kFailed);
  CHECK_FALSE(failed.log.empty());
  auto other = order("x");
  other.solution.spec.language = model::Language::unknown;
  other.solution.spec.language_text = "cobol";
  CHECK(apply::build(testing::fib_binary(), other).outcome == compile::BuildResult::Outcome::kUnsupported);
}

TEST_CASE("a program that does not do its work is told by what it said") {
  ::unsetenv("FIB_PROGRAM");
  CHECK_THROWS_WITH(apply::build("", order("x")),
                    Catch::StartsWith("the fib program, which builds solutions"));
  ::setenv("FIB_PROGRAM", "/nowhere/fib", 1);
  CHECK_THROWS_WITH(apply::build("", order("x")),
                    "FIB_PROGRAM names /nowhere/fib, which is no program that can be run");
  ::unsetenv("FIB_PROGRAM");
  CHECK_THROWS_WITH(apply::build("/bin/false", order("x")), "/bin/false ended with exit code 1: ");
}

TEST_CASE("the program is found by its variable, or on PATH") {
  const util::TemporaryFolder folder(std::filesystem::temp_directory_path(), "fib-build-");
  const std::string path = std::getenv("PATH");  // NOLINT: not changed by others
  ::setenv("FIB_PROGRAM", testing::fib_binary().c_str(), 1);
  CHECK(apply::find_program() == testing::fib_binary());
  ::setenv("FIB_PROGRAM", "/nowhere/fib", 1);
  CHECK(apply::find_program().empty());
  ::unsetenv("FIB_PROGRAM");
  std::filesystem::create_symlink(testing::fib_binary(), folder.path() / "fib");
  ::setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  CHECK(apply::find_program() == folder.path() / "fib");
  ::setenv("PATH", path.c_str(), 1);
}
