#include <catch2/catch.hpp>
#include <regex>

#include "run_support.h"

// What `fib run` says of its results, in the real program.
using namespace fib;
using namespace fib::testing;

namespace {

const std::string kWrong = "extern \"C\" void run(const float*, const float*, float*, long) {}";

// Times, latencies and shares as one word each, for they are never the same.
std::string without_numbers(std::string text) {
  text = std::regex_replace(text, std::regex(R"(\[\d\d:\d\d:\d\d\])"), "[time]");
  text = std::regex_replace(text, std::regex(R"(Results on .*:)"), "Results on HERE:");
  text = std::regex_replace(text, std::regex(R"(\d+\.\d+)"), "X");
  text = std::regex_replace(text, std::regex(R"(±[X\d]+%|0 to [X\d.]+x)"), "±I");
  return std::regex_replace(text, std::regex("X–X"), "X");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("each evaluation gets a line, and the run a table, a count and hints that fit") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest).solution("wrong", "bob", kWrong);
  const auto first = run.run(few());
  CAPTURE(first.out, first.err);
  const auto lines = without_numbers(first.err);
  CHECK(has(lines, "[time] info: [1/2] one w100 n=100: PASSED X ms ±"));
  CHECK(has(lines, "[time] warning: [2/2] wrong w100 n=100: INCORRECT_NUMERICAL (unwritten_output): "));
  CHECK(first.out.starts_with("2 of 2 evaluations done: 1 passed, 1 did not\n\nResults on "));
  const auto table = without_numbers(first.out);
  CHECK(std::regex_search(table, std::regex("add\n  one +1 +1/1 +X ±I +Xx +- *\n")));
  CHECK(std::regex_search(table,
                          std::regex("  wrong +- +0/1 +- +- +- +INCORRECT_NUMERICAL .unwritten_output.: ")));
  const std::string locals = " --local " + run.dataset.root().string() + "\n";
  CHECK(first.out.ends_with("who won: fib report summary" + locals +
                            "why wrong did not pass: fib report show solution wrong" + locals));

  const auto second = run.run(few({"--solutions", "wrong"}));
  CHECK_FALSE(has(second.out, "who won"));
  CHECK(has(second.out, "why wrong did not pass"));
  CHECK(has(second.out, "Best of add: one, "));
  const auto third = run.run(few({"--solutions", "one"}));
  CHECK_FALSE(has(third.out, "why "));
  CHECK(std::regex_search(third.err, std::regex("before( with the same source)?(, ambiguous)?\n")));
}

TEST_CASE("--quiet says the counts and what went wrong, no more") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest).solution("wrong", "bob", kWrong);
  const auto result = run.run(few({"--quiet"}));
  CHECK(result.out == "2 of 2 evaluations done: 1 passed, 1 did not\n");
  CHECK(has(result.err, "[2/2] wrong "));
  CHECK_FALSE(has(result.err, "one"));
}

TEST_CASE("where zeros would have passed, it is said below the results and in the trace") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  const std::string sentence =
      "Zeros in place of an output would have passed for 1 workload: add on w100 n=100";
  CHECK_FALSE(has(run.run(few()).out, "Zeros"));
  CHECK_FALSE(fib_record(read_traces(run.dataset.root()).at(0)).contains("zeros_pass"));
  CHECK(has(run.run(few({"--atol", "1000"})).out, sentence));
  CHECK(fib_record(read_traces(run.dataset.root()).at(1)).at("zeros_pass").dump() == R"(["c"])");
}

TEST_CASE("results that are not saved are told all the same, without hints that would not find them") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  const auto result = run.run(few({"--no-save-results"}));
  CHECK(std::regex_search(without_numbers(result.out), std::regex("add\n  one +1 +1/1 +X ±I +Xx +- *\n")));
  CHECK_FALSE(has(result.out, "fib report"));
  CHECK(has(run.run(few({"--no-save-results", "--quiet"})).out, "Latency (ms)"));
  CHECK_FALSE(has(run.run(few({"--quiet"})).out, "Latency (ms)"));
}

TEST_CASE("a hint can be given to a shell, whatever a solution is called") {
  FibRun run;
  run.dataset.add_definition({100}).solution("it's; $(touch x)", "bob", kWrong);
  const auto result = run.run(few());
  CHECK(has(result.out, "fib report show solution 'it'\\''s; $(touch x)' --local "));
}

TEST_CASE("--tag is kept in the run's record and its traces, and history shows it") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  REQUIRE(run.run(few({"--tag", "ticket=42", "--tag", "by=a b=c"})).exit_code == 0);
  const std::string tags = R"("tags":{"ticket":"42","by":"a b=c"})";
  CHECK(has(util::read_file(run.dataset.root() / "runs/runs.jsonl"), tags));
  CHECK(has(read_traces(run.dataset.root())[0].text, tags));
  const auto history =
      run_process({fib_binary(), "history", "--local", run.dataset.root()}, run.environment());
  CHECK(has(history.out, "tags ticket=42 by=a b=c"));
  REQUIRE(run.run(few()).exit_code == 0);
  CHECK_FALSE(has(read_traces(run.dataset.root())[1].text, "tags"));
  for (const char* wrong : {"ticket", "=42", "\xff=1"}) {
    const auto refused = run.run({"--tag", wrong});
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "expected KEY=VALUE"));
  }
  CHECK(run.run({"--tag", "a=1", "--tag", "a=2"}).exit_code == 2);
  CHECK(run.run({"--tag", "a=" + std::string(300, 'x')}).exit_code == 2);
}

TEST_CASE("a solution that does not build any more is broken, and hides no results of others") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest).solution("two", "bob", kHonest);
  REQUIRE(run.run(few()).exit_code == 0);
  run.dataset.solution("two", "bob", "nonsense");
  const auto broken = run.run(few({"--solutions", "two"}));
  CHECK(has(broken.out, "1 broken"));
  CHECK(has(broken.out, "Best of add: one, "));
  const auto best =
      run_process({fib_binary(), "report", "best", "--local", run.dataset.root()}, run.environment());
  CHECK(has(best.out, "one"));
  CHECK_FALSE(has(best.out, "No valid solution"));
  CHECK_FALSE(has(best.out, "other conditions"));
}
