#include <catch2/catch.hpp>
#include <fstream>

#include "cli/run_support.h"

// `fib run` in surroundings that are not as they should be.
namespace fs = std::filesystem;
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used

namespace {

// The run's words, started by a shell after `set_up`: "exec 2>&-".
ProcessResult run_after(const FibRun& run, const std::string& set_up,
                        const std::vector<std::string>& options) {
  std::vector<std::string> words = {"/bin/bash", "-c", set_up + "; exec \"$@\"", "bash"};
  const auto own = run.words(options);
  words.insert(words.end(), own.begin(), own.end());
  return run_process(words, run.environment());
}

}  // namespace

TEST_CASE("a run works without standard descriptors, and without a stderr that takes what it says") {
  FibRun run;
  run.dataset.add_definition({10}).solution("one", "alice", kHonest);
  const std::string closing =
      GENERATE("exec 2>&-", "exec 2>/dev/full", "exec >&-", "exec <&-", "exec <&- >&- 2>&-");
  CHECK(run_after(run, closing, few()).exit_code == 0);
  const auto traces = read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "PASSED");
  CHECK(run.processes().empty());
}

TEST_CASE("a run whose stdout takes nothing keeps its traces, and has not done all of its work") {
  FibRun run;
  run.dataset.add_definition({10}).solution("one", "alice", kHonest);
  const auto result = run_after(run, "exec >/dev/full", few());
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::EndsWith("fib: cannot write to stdout: is the disk full?\n"));
  CHECK(read_traces(run.dataset.root()).size() == 1);
}

TEST_CASE("a limit on file sizes ends a run with a sentence") {
  FibRun run;
  run.dataset.add_definition({10}).solution("one", "alice", kHonest);
  REQUIRE(run.run(few()).exit_code == 0);
  const fs::path file = run.dataset.root() / "traces/alice/test/add.jsonl";
  std::ofstream(file, std::ios::app) << std::string(200 * 1024, '\n');
  const auto size = fs::file_size(file);
  const auto result = run_after(run, "ulimit -f 100", few());
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::EndsWith("fib: append to " + file.string() + ": File too large\n"));
  CHECK(fs::file_size(file) == size);
  CHECK(run.processes().empty());
}

TEST_CASE("a solution whose author can be no folder costs itself alone, before anything is built") {
  FibRun run;
  run.dataset.add_definition({10}).solution("one", "alice", kHonest);
  std::string text = util::read_file(run.dataset.root() / "solutions/alice/test/add/one.json");
  text.replace(text.find("\"one\""), 5, "\"two\"").replace(text.find("\"alice\""), 7, "\"../../x\"");
  util::write_file_atomic(run.dataset.root() / "solutions/two.json", text);
  const auto result = run.run(few());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("1 of 1 evaluations done: 1 passed") == 0);
  CHECK_THAT(result.err,
             Catch::Contains("solutions/two.json: author \"../../x\" cannot be a file or folder name"));
}
