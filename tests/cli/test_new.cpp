#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_support.h"
#include "support/python.h"
#include "support/schema_check.h"

// `fib new`: from nothing to a verdict.
using namespace fib;
using namespace fib::testing;

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Beginning {
  FibRun run;
  fs::path root = run.folder.path() / "mine";

  [[nodiscard]] ProcessResult operator()(Words words) const {
    words.insert(words.begin(), fib_binary());
    words.insert(words.end(), {"--local", root.string()});
    return run_process(words, run.environment());
  }
  [[nodiscard]] fs::path file(const std::string& name) const { return run.folder.path() / name; }
  // The status of the first workload.
  [[nodiscard]] std::string tried(const fs::path& source, const std::string& definition) const {
    const auto result =
        (*this)(few({"eval", source.string(), "--definition", definition, "--format", "json"}));
    INFO(result.err);
    return nlohmann::json::parse(result.out).at("solutions").at(0).at("status");
  }
};

}  // namespace

TEST_CASE("from nothing: a definition, a source, a kernel in it, and a ranking") {
  const Beginning begin;
  const auto made = begin({"new", "definition", "my_gate"});
  INFO(made.err);
  CHECK(made.exit_code == 0);
  CHECK(made.err.empty());
  CHECK_THAT(made.out,
             Catch::Contains("wrote " + (begin.root / "definitions/elementwise/my_gate.json").string()));
  CHECK(begin({"validate"}).exit_code == 0);
  for (const char* form : {"elementwise", "rows", "matmul"}) {
    const Beginning other;
    REQUIRE(other({"new", "definition", "d", "--form", form}).exit_code == 0);
    // A baseline is what nobody can write before there is a solution.
    CHECK_THAT(other({"validate", "--checks", "layout,definition,workload,solution,trace"}).out,
               Catch::Contains("1 definitions: 1 ok, 0 warning, 0 error"));
    CHECK_THAT(other({"validate", "--checks", "baseline"}).out, Catch::Contains("no baseline solution"));
  }
  const fs::path source = begin.file("my_gate.cpp");
  const auto written = begin({"new", "solution", "--definition", "my_gate", "--output", source.string()});
  CHECK(written.exit_code == 0);
  CHECK_THAT(written.out,
             Catch::Contains("try it: fib eval " + source.string() + " --definition my_gate --local"));
  CHECK(begin.tried(source, "my_gate") == "INCORRECT_NUMERICAL");
  std::string text = util::read_file(source);
  const std::size_t place = text.find("  std::memset");
  REQUIRE(place != std::string::npos);
  text.insert(0, "#include <cmath>\n");
  const std::size_t begin_of_it = text.find("  std::memset");
  text.replace(begin_of_it, text.find('\n', begin_of_it) + 1 - begin_of_it,
               "  for (long i = 0; i < n; ++i) y[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];\n");
  util::write_file_atomic(source, text);
  const auto added = begin(few({"eval", source.string(), "--definition", "my_gate", "--add"}));
  INFO(added.out << added.err);
  CHECK(added.exit_code == 0);
  CHECK_THAT(begin({"report", "best"}).out, Catch::Contains("my_gate"));
}

TEST_CASE("what is there already stays, and that is said") {
  const Beginning begin;
  REQUIRE(begin({"new", "definition", "norm", "--form", "rows"}).exit_code == 0);
  const auto again = begin({"new", "definition", "norm", "--form", "rows"});
  CHECK(again.exit_code == 1);
  CHECK(again.err == "fib: " + (begin.root / "definitions/norm/norm.json").string() + " is there already\n");
  const auto of_other_type = begin({"new", "definition", "norm"});
  CHECK(of_other_type.exit_code == 1);
  CHECK_THAT(of_other_type.err, Catch::EndsWith("has a definition norm already, of op type norm\n"));
  const Words solution = {"new",  "solution", "--definition",
                          "norm", "--output", begin.file("a.cpp").string()};
  CHECK(begin(solution).exit_code == 0);
  util::write_file_atomic(begin.file("a.cpp"), "mine");
  CHECK(begin(solution).exit_code == 1);
  CHECK(util::read_file(begin.file("a.cpp")) == "mine");
}

TEST_CASE("a source is not written under a name by which it would be compiled as something else") {
  const Beginning begin;
  REQUIRE(begin({"new", "definition", "norm", "--form", "rows"}).exit_code == 0);
  const auto refused =
      begin({"new", "solution", "--definition", "norm", "--language", "cuda", "--output", "a.c"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err == "fib: --output a.c: the name says how a source is compiled; end it with .cu\n");
}

TEST_CASE("workloads are added with the sizes that are named") {
  const Beginning begin;
  REQUIRE(begin({"new", "definition", "gemm", "--form", "matmul"}).exit_code == 0);
  const Words words = {"new", "workload", "--definition", "gemm", "--axes", "M=17", "--axes", "M=33"};
  const auto added = begin(words);
  INFO(added.err);
  CHECK(added.exit_code == 0);
  CHECK(lines_of(util::read_file(begin.root / "workloads/gemm/gemm.jsonl")).size() == 5);
  CHECK(begin({"validate"}).exit_code == 0);
  const auto again = begin(words);
  CHECK(again.exit_code == 1);
  CHECK_THAT(again.err, Catch::EndsWith(" of gemm is there already\n"));
  const auto twice = begin({"new", "workload", "--definition", "gemm", "--axes", "M=7", "--axes", "M=7"});
  CHECK(twice.exit_code == 2);
  CHECK_THAT(twice.err, Catch::Contains(" is asked for twice\n"));
  CHECK(lines_of(util::read_file(begin.root / "workloads/gemm/gemm.jsonl")).size() == 5);
  CHECK(begin({"new", "workload", "--definition", "gemm", "--axes", "M=x"}).exit_code == 2);
  CHECK(begin({"new", "workload", "--definition", "gemm"}).err == "fib: the axis M needs a size\n");
  CHECK_THAT(begin({"new", "workload", "--definition", "gem", "--axes", "M=1"}).err,
             Catch::Contains("did you mean \"gemm\"?"));
}

TEST_CASE("nothing new hides the problems of SOL-ExecBench") {
  const Beginning begin;
  fs::create_directories(begin.root / "one");
  fs::copy_file(source_folder() / "dataset-examples/definitions/elementwise/sqrt_abs_sin_add.json",
                begin.root / "one/definition.json");
  const auto refused = [&](Words words) {
    const auto result = begin(std::move(words));
    INFO(result.err);
    CHECK(result.exit_code == 1);
    CHECK(result.err.find("SOL-ExecBench's layout") != std::string::npos);
  };
  refused({"new", "workload", "--definition", "sqrt_abs_sin_add", "--axes", "n=3"});
  refused({"new", "definition", "other"});
  CHECK_FALSE(fs::exists(begin.root / "workloads"));
  CHECK_FALSE(fs::exists(begin.root / "definitions"));
}

TEST_CASE("sources of new solutions run in C, in C++ and in Python") {
  const auto python = python_with_torch();
  for (const std::string form : {"elementwise", "rows", "matmul"}) {
    Beginning begin;
    REQUIRE(begin({"new", "definition", "mine", "--form", form}).exit_code == 0);
    for (const std::string language : {"c", "cpp"}) {
      const fs::path file = begin.file("a." + language);
      REQUIRE(begin({"new", "solution", "--definition", "mine", "--language", language, "--output",
                     file.string()})
                  .exit_code == 0);
      CHECK(begin.tried(file, "mine") == "INCORRECT_NUMERICAL");
    }
    if (!python) continue;
    begin.run.python = *python;
    const fs::path file = begin.file("a.py");
    REQUIRE(
        begin({"new", "solution", "--definition", "mine", "--language", "python", "--output", file.string()})
            .exit_code == 0);
    CHECK(begin.tried(file, "mine") == "PASSED");
  }
}
