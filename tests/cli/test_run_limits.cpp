#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/run_support.h"

// What ends a run before its plan is done, and what it does not try, or tries again.
namespace fs = std::filesystem;
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used

TEST_CASE("--fail-fast begins nothing after a failure; the rest is neither a result nor a fault") {
  FibRun run;
  run.dataset.add_definition({100, 1000});
  run.dataset.solution("bad", "alice", "extern \"C\" int run() { return 1; }")
      .solution("good", "bob", kHonest);
  const auto result = run.run(few({"--fail-fast"}));
  INFO(result.err);
  CHECK(result.exit_code == 3);
  CHECK(testing::read_traces(run.dataset.root()).size() == 1);
  CHECK_THAT(result.err,
             Catch::Contains("--fail-fast: bad did not pass (RUNTIME_ERROR); 3 evaluations did not begin\n"));
  CHECK(run.run(few({"--fail-fast", "--solutions", "good"})).exit_code == 0);
}

TEST_CASE("--max-time begins nothing when it is over, and --resume does what was left") {
  FibRun run;
  run.dataset.add_definition({100, 1000}).solution("good", "bob", kHonest);
  const auto result = run.run(few({"--max-time", "0.000001"}));
  CHECK(result.exit_code == 1);
  CHECK(testing::read_traces(run.dataset.root()).empty());
  CHECK_THAT(result.err,
             Catch::Contains("--max-time: 1e-06 s are over; 2 evaluations did not begin; to do the rest, "
                             "run the same command with --resume --since 20"));
  const auto rest = run.run(few({"--max-time", "600", "--resume"}));
  CHECK(rest.exit_code == 0);
  CHECK(testing::read_traces(run.dataset.root()).size() == 2);
  const auto again = run.run(few({"--max-time", "0.000001", "--resume", "--since", "2099-01-01"}));
  CHECK_THAT(again.err,
             Catch::Contains("2 evaluations did not begin; to do the rest, run the same command again\n"));
  const auto unsaved = run.run(few({"--max-time", "0.000001", "--no-save-results"}));
  CHECK_THAT(unsaved.err, Catch::Contains("2 evaluations did not begin\n"));
}

TEST_CASE("the time that a stopped run names leaves what it has done, and does what only older runs did") {
  FibRun run;
  run.dataset.add_definition({100}).solution("bad", "alice", "extern \"C\" int run() { return 1; }");
  REQUIRE(run.run(few()).exit_code == 0);
  run.dataset.solution("good", "bob", kHonest);
  const auto stopped = run.run(few({"--max-time", "0.000001"}));
  const std::string words = "--resume --since ";
  const auto at = stopped.err.find(words);
  REQUIRE(at != std::string::npos);
  const std::string since = stopped.err.substr(at + words.size(), 23);
  CHECK(run.run(few({"--resume", "--since", since})).out.find("2 of 2 evaluations done") == 0);
  CHECK(run.run(few({"--resume", "--since", since})).out.find("nothing to run: 2 evaluations are done") == 0);
}

TEST_CASE("--since does again what older runs alone have done") {
  FibRun run;
  run.dataset.add_definition({100, 1000}).solution("good", "bob", kHonest);
  REQUIRE(run.run(few()).exit_code == 0);
  const auto resume = [&](const char* since) { return run.run(few({"--resume", "--since", since})); };
  CHECK(resume("2026-01-02T03:04:05").out ==
        "nothing to run: 2 evaluations are done (--since TIME does those again that are older)\n");
  CHECK(resume("2099-01-01").exit_code == 0);
  CHECK(testing::read_traces(run.dataset.root()).size() == 4);
  const auto wrong = resume("yesterday");
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Catch::Contains("--since: yesterday is no time; write 2026-03-17"));
  const auto alone = run.run(few({"--since", "2026-01-02"}));
  CHECK(alone.exit_code == 2);
  CHECK_THAT(alone.err,
             Catch::Contains("--since: it is of results that --resume or --retry-failed takes for done"));
}

TEST_CASE("--retry-failed does again what did not pass, and nothing else") {
  FibRun run;
  run.dataset.add_definition({100}).solution("bad", "alice", "extern \"C\" int run() { return 1; }");
  run.dataset.solution("good", "bob", kHonest);
  REQUIRE(run.run(few()).exit_code == 0);
  CHECK(run.run(few({"--resume"})).out ==
        "nothing to run: 2 evaluations are done (--since TIME does those again that are older)\n");
  const auto again = run.run(few({"--retry-failed", "--strict"}));
  CHECK(again.exit_code == 3);
  CHECK(again.out.find("1 of 1 evaluations done: 0 passed, 1 did not") == 0);
}

TEST_CASE("a solution that fails again and again is not run on every workload, unless that is asked for") {
  FibRun run;
  run.dataset.add_definition({10, 20, 30, 40, 50})
      .solution("bad", "alice", "extern \"C\" int run() { return 1; }");
  const auto logs_of = [&](const std::vector<std::string>& options) {
    fs::remove_all(run.dataset.root() / "traces");
    CHECK(run.run(few(options)).exit_code == 0);
    return logs(run);
  };
  const auto skipped = logs_of({});
  REQUIRE(skipped.size() == 5);
  CHECK_THAT(skipped[2], !Catch::Contains("skipped"));
  for (const std::size_t i : {3, 4}) {
    CHECK_THAT(skipped[i], Catch::StartsWith("Solution skipped after 3 failures. Last error: "));
    CHECK(skipped[i].size() < 200);
  }
  CHECK(fib_record(testing::read_traces(run.dataset.root())[4]).at("failure").at("skipped_after") == 3);
  for (const std::string& log : logs_of({"--skip-after", "0"})) CHECK_THAT(log, !Catch::Contains("skipped"));
  CHECK_THAT(logs_of({"--skip-after", "1"})[1], Catch::StartsWith("Solution skipped after 1 failures."));
}
