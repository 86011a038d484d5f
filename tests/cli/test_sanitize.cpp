#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_support.h"
#include "support/schema_check.h"

// `fib sanitize` of C and C++.
using namespace fib;
using namespace fib::testing;

namespace {

namespace fs = std::filesystem;

const std::string kHead = "extern \"C\" void run(const float* a, const float* b, float* c, long n) {\n";
const std::string kAdd = "  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];\n";

struct Sanitize {
  FibRun run;
  Sanitize() { run.dataset.add_definition({100}); }

  [[nodiscard]] ProcessResult operator()(const std::string& name, const std::string& source,
                                         const std::vector<std::string>& more = {}) const {
    const fs::path file = run.folder.path() / name;
    util::write_file_atomic(file, source);
    std::vector<std::string> words = {fib_binary(),
                                      "sanitize",
                                      file.string(),
                                      "--definition",
                                      "add",
                                      "--local",
                                      run.dataset.root().string(),
                                      "--device",
                                      "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return run_process(words, run.environment());
  }
  // The first finding of a source.
  [[nodiscard]] nlohmann::json finding(const std::string& source) const {
    const auto result = (*this)("a.cpp", source, {"--format", "json"});
    INFO(result.out << result.err);
    CHECK(result.exit_code == 3);
    return nlohmann::json::parse(result.out).at("examined").at(0).at("findings").at(0);
  }
};

}  // namespace

TEST_CASE("what a solution does to memory that is not its own is found, with its line") {
  const Sanitize sanitize;
  const auto over = sanitize.finding(kHead + "  for (long i = 0; i <= n; ++i)\n    c[i] = 1;\n}\n");
  CHECK(over.at("kind") == "heap-buffer-overflow");
  CHECK_THAT(over.at("message").get<std::string>(), Catch::Contains("WRITE of size"));
  CHECK(over.at("file") == "a.cpp");
  CHECK(over.at("line") == 3);
  CHECK(over.at("source") == "c[i] = 1;");
  CHECK(over.at("severity") == "error");
  CHECK(over.at("function") == "run");
  if (has_jsonschema())
    CHECK(schema_problems("sanitize",
                          {sanitize("a.cpp", kHead + "  c[n] = 1;\n}\n", {"--format", "json"}).out}) == "");
  const auto before = sanitize.finding(kHead + "  c[0] = a[-1];\n}\n");
  CHECK(before.at("kind") == "heap-buffer-overflow");
  CHECK(before.at("line") == 2);
  const auto freed = sanitize.finding("#include <cstdlib>\n" + kHead +
                                      "  float* x = (float*)malloc(40); free(x);\n  c[0] = x[1];\n}\n");
  CHECK(freed.at("kind") == "heap-use-after-free");
  CHECK(freed.at("line") == 4);
  const auto null = sanitize.finding(kHead + "  *(volatile int*)8 = 1;\n}\n");
  CHECK(null.at("kind") == "SEGV");
  CHECK(null.at("line") == 2);
}

TEST_CASE("undefined behaviour is found, once a place, and the solution goes on") {
  const Sanitize sanitize;
  const auto overflow = sanitize.finding(
      "static int twice(int x) {\n  return x * 2147483;\n}\n" + kHead + kAdd +
      "  int x = 5000;\n  for (long i = 0; i < n; ++i) x = twice(x | 1024);\n  c[0] += x;\n}\n");
  CHECK(overflow.at("tool") == "undefined");
  CHECK(overflow.at("line") == 2);
  CHECK_THAT(overflow.at("message").get<std::string>(), Catch::StartsWith("signed integer overflow"));
}

TEST_CASE("nothing is found in a solution that is right, in any of its forms") {
  const Sanitize sanitize;
  const auto clean = sanitize("a.cpp", kHead + kAdd + "}\n");
  INFO(clean.err);
  CHECK(clean.exit_code == 0);
  CHECK_THAT(clean.out, Catch::Contains("a on add, workload w100: address,undefined: nothing found\n") &&
                            Catch::Contains("On the CPU races of threads are not looked for") &&
                            !Catch::Contains("The first workload alone"));
  const auto c =
      sanitize("a.c", "void run(const float* a, const float* b, float* c, long n) {\n" + kAdd + "}\n");
  CHECK(c.exit_code == 0);
  CHECK(sanitize.run.processes().empty());
  CHECK(fs::is_empty(sanitize.run.folder.path() / "tmp"));
}

TEST_CASE("who looks at the first workload alone is told") {
  Sanitize sanitize;
  sanitize.run.dataset.add_definition({100, 200});
  const std::string source = kHead + kAdd + "}\n";
  const std::string remark = "The first workload alone was looked at; --workloads all looks at all";
  CHECK_THAT(sanitize("a.cpp", source).out, Catch::Contains(remark));
  const auto all = sanitize("a.cpp", source, {"--workloads", "all"});
  CHECK_THAT(all.out, Catch::Contains("workload w200") && !Catch::Contains(remark));
}

TEST_CASE("a solution that prints without a newline is looked at like any other") {
  const Sanitize sanitize;
  const auto result = sanitize(
      "a.cpp",
      "#include <cstdio>\n" + kHead + kAdd + "  std::printf(\"no newline\");\n  std::fflush(stdout);\n}\n",
      {"--format", "json"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  const auto examined = nlohmann::json::parse(result.out).at("examined");
  CHECK(examined.at(0).at("status") == "clean");
}

TEST_CASE("what cannot be looked at has no findings, and that is no good sign") {
  const Sanitize sanitize;
  const auto reason = [&](const std::string& source, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = sanitize("a.cpp", source, words);
    CHECK(result.exit_code == 1);
    const auto one = nlohmann::json::parse(result.out).at("examined").at(0);
    CHECK(one.at("status") == "not_done");
    return one.at("reason").get<std::string>();
  };
  CHECK_THAT(reason(kHead), Catch::StartsWith("it does not build: a.cpp:"));
  CHECK_THAT(reason("#include <stdexcept>\n" + kHead + "  throw std::runtime_error(\"no\");\n}\n"),
             Catch::EndsWith("the solution threw an exception: no"));
  CHECK_THAT(reason(kHead + "  for (;;) {}\n}\n", {"--timeout", "2"}), Catch::Contains("no end after 2 s"));
  // It says what a probe says at the end, and leaves.
  CHECK_THAT(reason("#include <cstdio>\n#include <unistd.h>\n" + kHead +
                    "  std::puts(\"fib probe: calls done\\nfib probe: calls done \");\n  "
                    "std::fflush(stdout);\n  _exit(0);\n}\n"),
             Catch::Contains("calls done"));
  const auto strict = sanitize("a.cpp", kHead + "}\n", {"--sandbox", "strict"});
  CHECK(strict.exit_code == 1);
  CHECK_THAT(strict.err, Catch::Contains("--sandbox strict asks for"));
  const auto in_json = sanitize("a.cpp", kHead + "}\n", {"--sandbox", "strict", "--format", "json"});
  CHECK(in_json.exit_code == 1);
  CHECK_THAT(checked_json("sanitize", in_json.out).at("error").get<std::string>(),
             Catch::Contains("--sandbox strict asks for"));
  const auto unknown = sanitize("a.cpp", kHead + "}\n", {"--tool", "memcheck"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Catch::Contains("memcheck is none of address,undefined"));
}

TEST_CASE("Clang, whose sanitizers are others, is said to be none that fib looks with") {
  const Sanitize sanitize;
  const fs::path clang = sanitize.run.folder.path() / "clang++";
  util::write_file_atomic(
      clang,
      "#!/bin/sh\n[ \"$1\" = --version ] && exec echo 'Debian clang version 14.0.6'\nexec g++ \"$@\"\n");
  fs::permissions(clang, fs::perms::owner_all);
  util::write_file_atomic(sanitize.run.folder.path() / "a.cpp", kHead + kAdd + "}\n");
  auto environment = sanitize.run.environment();
  environment.push_back("CXX=" + clang.string());
  const auto result =
      run_process({fib_binary(), "sanitize", sanitize.run.folder.path() / "a.cpp", "--definition", "add",
                   "--local", sanitize.run.dataset.root(), "--device", "cpu"},
                  environment);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out + result.err,
             Catch::Contains(" is Clang, and fib looks with the sanitizers of GCC: CXX=g++"));
}

TEST_CASE("a workload that cannot be made costs itself alone") {
  const Sanitize sanitize;
  for (const auto& entry : fs::recursive_directory_iterator(sanitize.run.dataset.root() / "workloads")) {
    if (entry.path().extension() != ".jsonl") continue;
    auto workload = nlohmann::ordered_json::parse(util::read_file(entry.path()));
    std::string lines = workload.dump() + "\n";
    workload["workload"]["axes"]["n"] = 1'000'000'000'000'000;
    workload["workload"]["uuid"] = "too-large";
    util::write_file_atomic(entry.path(), workload.dump() + "\n" + lines);
  }
  const auto result = sanitize("a.cpp", kHead + kAdd + "}\n", {"--workloads", "all", "--format", "json"});
  CHECK(result.exit_code == 1);
  const auto examined = nlohmann::json::parse(result.out).at("examined");
  REQUIRE(examined.size() == 2);
  const std::size_t large = examined.at(0).at("workload") == "too-large" ? 0 : 1;
  CHECK(examined.at(large).at("status") == "not_done");
  CHECK_THAT(examined.at(large).at("reason").get<std::string>(), Catch::Contains("too large"));
  CHECK(examined.at(1 - large).at("status") == "clean");
}

TEST_CASE("on the CPU there is nothing of Python code to look at") {
  Sanitize sanitize;
  sanitize.run.python = "python3";
  const auto python = sanitize("a.py", "def run(a, b):\n    return a + b\n");
  CHECK(python.exit_code == 1);
  CHECK_THAT(python.out,
             Catch::Contains("there is nothing of Python code that AddressSanitizer could look at"));
}

TEST_CASE("a solution that is looked at is in the sandbox") {
  const Sanitize sanitize;
  const fs::path marker = sanitize.run.folder.path() / "marker";
  const std::string source = "#include <cstdio>\n" + kHead + kAdd + "  if (std::FILE* file = std::fopen(\"" +
                             marker.string() + "\", \"w\")) std::fclose(file);\n}\n";
  CHECK(sanitize("a.cpp", source).exit_code == 0);
  CHECK_FALSE(fs::exists(marker));
  CHECK(sanitize("a.cpp", source, {"--sandbox", "off"}).exit_code == 0);
  CHECK(fs::exists(marker));
}

TEST_CASE("a solution that is looked at cannot fill the disk with one file") {
  const Sanitize sanitize;
  const auto result = sanitize(
      "a.cpp",
      "#include <fcntl.h>\n#include <unistd.h>\n#include <cstdio>\n" + kHead + kAdd +
          "  const int file = open(\"own/s\", O_CREAT | O_WRONLY, 0600);\n"
          "  std::printf(\"%s\\n\", pwrite(file, \"x\", 1, 0) == 1 ? \"SMALL\" : \"NOTHING\");\n"
          "  std::fflush(stdout);\n"
          "  std::printf(\"%s\\n\", pwrite(file, \"x\", 1, 300L << 20) == 1 ? \"LARGE\" : \"REFUSED\");\n"
          "  std::fflush(stdout);\n}\n",
      {"--format", "json"});
  CHECK_THAT(result.out, Catch::Contains("SMALL"));
  CHECK_THAT(result.out, !Catch::Contains("LARGE"));
}
