#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/run_support.h"
#include "support/schema_check.h"

// `fib run --format jsonl`.
using namespace fib;
using namespace fib::testing;

namespace {

using Events = std::vector<nlohmann::json>;

// Without the warning of a machine that has other work to do.
Events events_of(const ProcessResult& result) {
  Events events;
  for (const std::string& line : lines_of(result.out)) events.push_back(nlohmann::json::parse(line));
  std::erase_if(events, [](const nlohmann::json& event) {
    return event.at("event") == "warning" &&
           event.at("text").get<std::string>().find("the load of this machine") != std::string::npos;
  });
  return events;
}

std::vector<std::string> kinds_of(const Events& events) {
  std::vector<std::string> kinds;
  for (const auto& event : events) kinds.push_back(event.at("event"));
  return kinds;
}

}  // namespace

TEST_CASE("a run as events: nothing else is on stdout, and each says what happened") {
  FibRun run;
  run.dataset.add_definition({100}).solution("broken", "alice", "extern \"C\" void run( {}");
  run.dataset.solution("good", "alice", kHonest);
  const auto result = run.run(few({"--format", "jsonl", "--strict"}));
  INFO(result.out);
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Catch::Contains("2 of 2 evaluations done: 1 passed, 1 did not"));
  const auto events = events_of(result);
  const auto kinds = kinds_of(events);
  REQUIRE(kinds.size() == 8);
  CHECK(kinds.front() == "run_began");
  CHECK(kinds.back() == "run_ended");
  CHECK(std::count(kinds.begin(), kinds.end(), "built") == 2);
  CHECK(events[0].at("schema_version") == 1);
  CHECK(events[0].at("evaluations") == 2);
  for (const auto& event : events) {
    if (event.at("event") == "built")
      CHECK(event.at("outcome") == (event.at("solution") == "good" ? "built" : "failed"));
    if (event.at("event") != "evaluation_ended") continue;
    const bool is_good = event.at("solution") == "good";
    CHECK(event.at("status") == (is_good ? "PASSED" : "COMPILE_ERROR"));
    CHECK(event.at("failure").is_null() == is_good);
    CHECK(event.at("durations").at("build_ms") > 0);
    CHECK(event.at("durations").at("evaluate_ms").is_number() == is_good);
    CHECK(event.at("reward_components").at("built") == is_good);
    CHECK(event.at("request_digest").get<std::string>().size() == 64);
    CHECK(event.at("environment_digest").get<std::string>().size() == 64);
    if (is_good) CHECK(event.at("durations").at("run_ms") <= event.at("durations").at("evaluate_ms"));
    if (is_good) CHECK(event.at("durations").at("run_ms") > 0);
    if (!is_good) CHECK(event.at("failure").at("fault") == "solution");
  }
  CHECK(events.back().at("passed") == 1);
  CHECK(events.back().at("exit_code") == 3);
  CHECK(events.back().at("gate").dump() == R"(["--strict: 1 of 2 evaluations did not pass: broken"])");
  CHECK(events.back().at("run_id").is_string());
}

TEST_CASE("events of a plan, of a run with nothing to do, and of what could not be done") {
  FibRun run;
  run.dataset.add_definition({100}).solution("good", "alice", kHonest);
  using Kinds = std::vector<std::string>;
  CHECK(kinds_of(events_of(run.run(few({"--format", "jsonl", "--dry-run"})))) ==
        Kinds{"run_began", "planned", "run_ended"});
  REQUIRE(run.run(few()).exit_code == 0);
  const auto nothing = run.run(few({"--format", "jsonl", "--resume"}));
  const auto events = events_of(nothing);
  CHECK(kinds_of(events) == Kinds{"run_began", "run_ended"});
  CHECK(events[0].at("resumed") == 1);
  CHECK(events[1].at("run_id").is_null());
  CHECK(events[0].at("plan_ms") > 0);
  CHECK_THAT(nothing.err, Catch::Contains("nothing to run: 1 evaluation is done"));
  run.dataset.definition("test", "other", R"({"name": "other", "op_type": "test", "axes": {}, "inputs": {},
      "outputs": {"b": {"shape": null, "dtype": "float32"}}, "reference": "def run():\n    return 1.0\n"})",
                         {});
  run.dataset.solution("lonely", "alice", kHonest, "other");
  run.dataset.cuda_solution("gpu", "alice", "void run() {}", nlohmann::ordered_json::object());
  const auto left_out = events_of(run.run(few({"--format", "jsonl", "--dry-run"})));
  CHECK(left_out[0].at("incomplete").dump() ==
        R"([{"code":"no_workloads","fault":"dataset","reason":"there are no workloads of other",)"
        R"("retryable":false,"solution":"lonely","stage":"plan"}])");
  CHECK(left_out[0].at("skipped")[0].at("fault") == "machine");
  CHECK(left_out[0].at("skipped")[0].at("code") == "other_device");
  const auto whole = run.run(few());
  REQUIRE(whole.exit_code == 0);
  CHECK_THAT(whole.out,
             Catch::Contains("1 of 1 evaluations done: 1 passed, 0 did not; 1 solution skipped\n"));
  CHECK_THAT(
      run_process({fib_binary(), "report", "show", "solution", "gpu", "--local", run.dataset.root().string()})
          .out,
      Catch::Contains("There are no results of it that count and match.") &&
          Catch::Contains(" has no result of it: language cuda"));
  CHECK_THAT(run_process({fib_binary(), "export", "--local", run.dataset.root().string(), "--run", "last",
                          "--format", "junit"})
                 .out,
             Catch::Contains("classname=\"skipped\" name=\"gpu\"") && Catch::Contains("does not run on cpu"));
  const auto late = events_of(run.run(few({"--format", "jsonl", "--max-time", "0.000001"})));
  CHECK(late.back().at("not_begun") == 1);
  CHECK(late.back().at("ended_early") == "--max-time: 1e-06 s are over");
  CHECK(late.back().at("exit_code") == 1);
}

TEST_CASE("an evaluation that has no verdict says whose fault that is") {
  FibRun run;
  run.dataset.definition(
      "test", "other",
      R"({"name": "other", "op_type": "test", "axes": {"n": {"type": "var"}},
      "inputs": {"a": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"b": {"shape": ["n"], "dtype": "float32"}},
      "reference": "def run(a):\n    return nothing_like_it(a)\n"})",
      {R"({"definition": "other", "solution": null, "evaluation": null, "workload": {"axes": {"n": 10}, "inputs": {"a": {"type": "random"}}, "uuid": "w"}})"});
  run.dataset.solution("good", "alice", "extern \"C\" void run() {}", "other");
  const auto events = events_of(run.run(few({"--format", "jsonl"})));
  REQUIRE(events.back().at("not_done").size() == 1);
  CHECK(events.back().at("not_done")[0].at("fault") == "dataset");
  CHECK(events.back().at("not_done")[0].at("code") == "reference_failed");
  CHECK(events.back().at("not_done")[0].at("stage") == "run");
  CHECK(events.back().at("not_done")[0].at("retryable") == false);
  CHECK(events.back().at("exit_code") == 1);
}

TEST_CASE("who waits for a device says so once") {
  FibRun first;
  first.dataset.add_definition({10, 20, 30, 40}).solution("slow", "alice", kSlow);
  const int holder = first.start(few());
  FibRun second;
  second.dataset.add_definition({10}).solution("good", "alice", kHonest);
  // It holds the device when it has a worker.
  CHECK(wait_for([&] { return first.processes().size() > 3; }));
  const auto kinds = kinds_of(events_of(second.run(few({"--format", "jsonl"}))));
  CHECK(std::count(kinds.begin(), kinds.end(), "waiting") == 1);
  int status = 0;
  ::waitpid(holder, &status, 0);
}
