#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_support.h"
#include "compile/python_interpreter.h"
#include "util/files.h"

// What `fib run` says of Python solutions that it cannot run, or whose sources cannot be right.
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used

namespace {

// A run with one Python solution, "one".
struct PythonRun {
  FibRun run;

  explicit PythonRun(const std::string& source) {
    run.dataset.add_definition({100}).solution("one", "alice", kHonest);
    const auto file = run.dataset.root() / "solutions" / "alice" / "test" / "add" / "one.json";
    auto json = nlohmann::ordered_json::parse(util::read_file(file));
    json["spec"]["language"] = "python";
    json["spec"]["entry_point"] = "main.py::run";
    json["sources"] = {{{"path", "main.py"}, {"content", source}}};
    util::write_file_atomic(file, json.dump());
  }
  [[nodiscard]] ProcessResult with(const std::string& python) {
    run.python = python;
    return run.run();
  }
};

}  // namespace

TEST_CASE("without Python, Python solutions are skipped with the reason") {
  const auto result = PythonRun("def run(a, b): return a + b\n").with("");
  CHECK(result.exit_code == 0);
  CHECK(result.out == "nothing to run\n");
  CHECK_THAT(result.err, Catch::Contains("skipped one: it needs Python, and no python3 was found"));
}

TEST_CASE("a FIB_PYTHON that cannot run ends the run") {
  const auto result = PythonRun("def run(a, b): return a + b\n").with("/no/such/python");
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Catch::Contains("FIB_PYTHON: cannot start \"/no/such/python\""));
}

TEST_CASE("a Python solution whose source is not Python is a compile error with file and line") {
  const auto python = compile::find_python();
  if (!python) {
    WARN("skipped: no python3 here");
    return;
  }
  PythonRun broken("import math\ndef run(a, b:\n");
  const auto result = broken.with(python->path.string());
  INFO(result.err);
  CHECK(result.out.starts_with("1 of 1 evaluations done: 0 passed"));
  const auto traces = read_traces(broken.run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "COMPILE_ERROR");
  const auto evaluation = nlohmann::json::parse(traces[0].text).at("evaluation");
  CHECK_THAT(evaluation.at("log").get<std::string>(), Catch::StartsWith("main.py:2: SyntaxError: "));
  CHECK(evaluation.at("environment").at("libs").contains("torch") == python->has("torch"));
  const auto record = nlohmann::json::parse(util::read_file(broken.run.dataset.root() / "runs/runs.jsonl"));
  CHECK(record.at("python").at("version") == python->version);
}
