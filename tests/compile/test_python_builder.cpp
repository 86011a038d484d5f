#include "compile/builder.h"
#include "compile/python_tests.h"
#include "support/temporary.h"
#include "util/command.h"
#include "util/files.h"

using namespace fib;
using Outcome = compile::BuildResult::Outcome;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct Build {
  const testing::TemporaryFolder cache;
  std::optional<compile::PythonInterpreter> python = testing::real_python();

  compile::BuildResult operator()(const model::Solution& s,
                                  const model::Definition& d = testing::definition({"x", "w"}, {"y"})) const {
    return compile::build(s, d, {model::DeviceKind::cpu, "", python}, cache.path());
  }
  compile::BuildResult operator()(const std::string& source, const json& more = json::object()) const {
    return (*this)(testing::solution("python", "main.py::run", {{"main.py", source}}, more));
  }
};

const char* const kWrites = "def run(x, w, y):\n    y[:] = x\n";

}  // namespace

TEST_CASE("a Python solution is laid out as a package that can be imported") {
  const Build build;
  if (!build.python) return;
  const auto s = testing::solution("python", "sub/main.py::run",
                                   {{"sub/main.py",
                                     "from .near import a\nfrom ..far import b\nimport plain\n"
                                     "def run(x, w): return a + b + plain.c\n"},
                                    {"sub/near.py", "a = 1\n"},
                                    {"far.py", "b = 2\n"},
                                    {"plain.py", "c = 3\n"},
                                    {"note.txt", "no Python ((\n"}});
  const auto first = build(s);
  INFO(first.log);
  REQUIRE(first.outcome == Outcome::kBuilt);
  CHECK_FALSE(first.from_cache);
  const auto& artifact = first.artifact;
  CHECK(artifact.kind == compile::Artifact::Kind::kPythonModule);
  CHECK(artifact.symbol == "run");
  const std::string package = model::package_name(s, "fib_python_");
  CHECK(artifact.module == package + ".sub.main");
  CHECK(artifact.entry_file == artifact.file / package / "sub/main.py");
  CHECK(artifact.style.style == compile::CallingStyle::kValueReturning);
  CHECK_THAT(first.log, Catch::Contains("called as value-returning, since run in sub/main.py:4"));
  // As the guest imports it.
  const std::string script = "import sys, importlib\nsys.path[:0] = ['" + artifact.file.string() + "', '" +
                             (artifact.file / package).string() + "']\n" + "print(importlib.import_module('" +
                             artifact.module + "').run(0, 0))";
  const auto result = util::run_command({build.python->path.string(), "-B", "-c", script}, "/");
  CHECK(result.output == "6\n");
  const auto second = build(s);
  CHECK(second.from_cache);
  CHECK(second.artifact.file == artifact.file);
  CHECK(second.log == first.log);
}

TEST_CASE("the package's name tells the language and the solution's name") {
  Build build;
  if (!build.python) return;
  build.python->packages["triton"] = "9";
  build.python->interprets_triton = true;
  const auto triton = build(testing::solution("triton", "main.py::run", {{"main.py", kWrites}}));
  INFO(triton.log);
  CHECK_THAT(triton.artifact.module, Catch::StartsWith("fib_triton_s_1_"));
}

TEST_CASE("nothing of the solution runs when it is built") {
  const Build build;
  if (!build.python) return;
  const auto mark = build.cache.path() / "ran";
  const auto result = build("open('" + mark.string() + "', 'w')\n" + kWrites);
  CHECK(result.outcome == Outcome::kBuilt);
  CHECK_FALSE(fs::exists(mark));
}

TEST_CASE("the interpreter decides what is Python, and errors name file and line") {
  const Build build;
  if (!build.python) return;
  SECTION("what fib's own parser refuses too") {
    const auto result = build("import math\ndef run(x, w, y:\n    pass\n");
    CHECK(result.outcome == Outcome::kFailed);
    CHECK_THAT(result.log, Catch::StartsWith("main.py:2: SyntaxError: "));
    CHECK_THAT(result.log, Catch::Contains("def run(x, w, y:"));
  }
  SECTION("what only the interpreter refuses") {
    const auto result = build(std::string(kWrites) + "return 1\n");
    CHECK(result.outcome == Outcome::kFailed);
    CHECK_THAT(result.log, Catch::StartsWith("main.py:3: SyntaxError: 'return' outside function"));
  }
  SECTION("in another file than the entry's") {
    const auto result =
        build(testing::solution("python", "main.py::run", {{"main.py", kWrites}, {"a/b.py", "\n  x = 1\n"}}));
    CHECK(result.outcome == Outcome::kFailed);
    CHECK_THAT(result.log, Catch::StartsWith("a/b.py:2: IndentationError: "));
  }
  SECTION("nesting beyond fib's parser is Python's own business") {
    const auto result = build("x = " + std::string(150, '(') + "1" + std::string(150, ')') + "\n" + kWrites);
    INFO(result.log);
    CHECK(result.outcome == Outcome::kBuilt);
  }
}

TEST_CASE("entry points that cannot be called are told of before a worker starts") {
  const Build build;
  if (!build.python) return;
  const auto log_of = [&](const compile::BuildResult& result) {
    CHECK(result.outcome == Outcome::kFailed);
    return result.log;
  };
  CHECK_THAT(log_of(build("def other(x, w, y): pass\n")),
             Catch::StartsWith("main.py defines no run at module level"));
  CHECK(log_of(build(testing::solution("python", "main.txt::run", {{"main.txt", kWrites}})))
            .starts_with("the entry file main.txt does not end in .py"));
  CHECK_THAT(log_of(build(testing::solution("python", "v1.0/main.py::run", {{"v1.0/main.py", kWrites}}))),
             Catch::Contains("cannot be imported"));
  CHECK_THAT(log_of(build(testing::solution("python", "main.py::", {{"main.py", kWrites}}))),
             Catch::Contains("names no function"));
}

TEST_CASE("parameters that do not fit a call are counted") {
  const Build build;
  if (!build.python) return;
  const json writes = {{"destination_passing_style", true}};
  const json returns = {{"destination_passing_style", false}};
  const auto few = build("def run(x, w): return x\n", writes);
  CHECK(few.outcome == Outcome::kFailed);
  CHECK(few.log ==
        "Destination-passing style callable: expected 3 parameters, but got 2\n"
        "main.py:1: run is called with 2 inputs and 1 output to write to; if it returns its outputs, set "
        "\"destination_passing_style\": false");
  const auto many = build("def run(x, w, y): return x\n", returns);
  CHECK(many.log ==
        "Value-returning style callable: expected 2 parameters, but got 3\n"
        "main.py:1: run is called with 2 inputs and returns the outputs");
  CHECK_THAT(build("def run(x, w, *, scale): return x\n", returns).log,
             Catch::Contains("its parameter scale must be given by keyword"));
  // By name: each argument has a parameter of its name, and no other needs one.
  CHECK(build("def run(*, w, x): return x\n", returns).outcome == Outcome::kBuilt);
  CHECK(build("def run(*, y, x, w, eps=1): pass\n", writes).outcome == Outcome::kBuilt);
  CHECK(build("def run(x, /, *, w): return x\n", returns).outcome == Outcome::kFailed);
  CHECK(build("def run(*, w, x, eps): return x\n", returns).outcome == Outcome::kFailed);
  CHECK(build("def run(x, w, y, eps=1): pass\n", writes).outcome == Outcome::kBuilt);
  CHECK(build("def run(*tensors): pass\n", writes).outcome == Outcome::kBuilt);
  CHECK(build("@wrap\ndef run(x): pass\n", writes).outcome == Outcome::kBuilt);
  // The same sources with another definition: what is in the cache is looked at again.
  const auto s = testing::solution("python", "main.py::run", {{"main.py", kWrites}}, writes);
  CHECK(build(s).outcome == Outcome::kBuilt);
  CHECK(build(s, testing::definition({"x"}, {"y"})).outcome == Outcome::kFailed);
}
