#include <catch2/catch.hpp>

#include "cli/run_support.h"

// `fib disasm` of C and C++.
using namespace fib;
using namespace fib::testing;

namespace {

struct Disasm {
  FibRun run;
  Disasm() { run.dataset.add_definition({100}); }

  [[nodiscard]] ProcessResult operator()(const std::string& source,
                                         const std::vector<std::string>& more = {}) const {
    const auto file = run.folder.path() / "mine.cpp";
    util::write_file_atomic(file, source);
    std::vector<std::string> words = {
        fib_binary(), "disasm", file.string(), "--definition", "add", "--local", run.dataset.root().string(),
        "--device",   "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return run_process(words, run.environment());
  }
};

}  // namespace

TEST_CASE("the machine code of a solution has its functions and the lines of its source") {
  const Disasm disasm;
  const auto done = disasm(
      "extern \"C\" void run(const float* a, const float* b, float* c, long n) {\n"
      "  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];\n}\n");
  INFO(done.err);
  CHECK(done.exit_code == 0);
  CHECK(done.err.empty());
  CHECK_THAT(done.out,
             Catch::StartsWith("mine\n") && Catch::Contains("<run>:") && Catch::Contains("mine.cpp:2"));
  CHECK_THAT(done.out, !Catch::Contains("Disassembly of section .init"));
  CHECK(disasm.run.processes().empty());
  CHECK(std::filesystem::is_empty(disasm.run.folder.path() / "tmp"));
}

TEST_CASE("what has no code says why") {
  const Disasm disasm;
  const auto broken = disasm("extern \"C\" void run( {\n");
  CHECK(broken.exit_code == 1);
  CHECK_THAT(broken.out, Catch::Contains("not done: mine.cpp:1:"));
  const auto ptx = disasm("extern \"C\" void run() {}\n", {"--ptx"});
  CHECK(ptx.exit_code == 1);
  CHECK_THAT(ptx.out, Catch::Contains("not done: there is PTX of CUDA solutions alone"));
}
