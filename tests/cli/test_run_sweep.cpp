#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/run_support.h"
#include "dataset/load.h"
#include "util/command.h"
#include "util/files.h"

// `fib run --sweep`, the record of a run, and what `fib history` makes of both.
namespace fs = std::filesystem;
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used
using nlohmann::json;

namespace {

const std::string kPrintsInput = R"(
    #include <cstdio>
    extern "C" void run(const float* a, const float* b, float* c, long n) {
      for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
      std::printf("%a\n", a[0]);
    })";

json record_of(const FibRun& run) {
  return json::parse(util::read_file(run.dataset.root() / "runs" / "runs.jsonl"));
}

std::size_t lines_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) count += line.find(part) != std::string::npos ? 1U : 0U;
  return count;
}

}  // namespace

TEST_CASE("a sweep over an option and an axis is one run with a trace for each combination") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kPrintsInput).solution("bad", "bob", "nonsense");
  const std::vector<std::string> sweep = {"--sweep", "iterations=3,4", "--sweep", "n=100,200", "--num-trials",
                                          "1",       "--warmup-runs",  "0"};
  const auto result = run.run(sweep);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("8 of 8 evaluations done: 4 passed, 4 did not") == 0);
  // Each solution once; of what follows within a moment a line is left out, but never the last.
  CHECK(lines_of(result.err, "[2/2] built one") + lines_of(result.err, "[2/2] failed to build bad") == 1);
  CHECK(lines_of(result.err, "] built one") <= 1);
  CHECK(lines_of(result.err, "] built bad") == 0);
  CHECK(lines_of(result.err, "running bad") == 0);  // what does not build does not run

  const json record = record_of(run);
  CHECK(record.at("sweep").dump() == R"({"iterations":[3,4],"n":[100,200]})");
  CHECK_FALSE(record.at("config").contains("iterations"));
  CHECK(record.at("config").at("num_trials") == 1);
  CHECK(record.at("failed").dump() == R"({"COMPILE_ERROR":4})");
  std::set<std::string> points;
  std::set<std::string> inputs;
  std::size_t calls = 0;
  for (const auto& trace : read_traces(run.dataset.root())) {
    const json line = json::parse(trace.text);
    const json& fib = line.at("evaluation").at("fib");
    CHECK(fib.at("run_id") == record.at("run_id"));
    CHECK(fib.at("config").at("iterations") == fib.at("sweep").at("iterations"));
    CHECK(line.at("workload").at("axes").at("n") == fib.at("sweep").at("n"));
    CHECK((trace.workload == "w100") == (fib.at("sweep").at("n") == 100));
    if (trace.solution == "bad") continue;
    CHECK(fib.at("n") == fib.at("sweep").at("iterations"));
    points.insert(fib.at("sweep").dump());
    std::istringstream lines(testing::printed_by(trace));
    for (std::string input; std::getline(lines, input); ++calls) inputs.insert(input);
  }
  CHECK(points.size() == 4);
  CHECK(calls == 14);
  CHECK(inputs.size() == calls);  // no input comes twice, neither at another point

  // Made workloads live in traces only, and nobody minds.
  CHECK(lines_of(util::read_file(run.dataset.root() / "workloads/test/add.jsonl"), "uuid") == 1);
  CHECK(dataset::load(run.dataset.root()).problems.empty());
  CHECK(run.run(few({"--dry-run"})).out.find("2 evaluations planned") != std::string::npos);

  auto resumed = sweep;
  resumed.insert(resumed.end(), {"--resume", "--dry-run"});
  CHECK(run.run(resumed).out == "0 evaluations planned, 8 already done\n");
  resumed[3] = "n=100,200,300";
  const auto more = run.run(resumed);
  CHECK(more.err.empty());
  CHECK(lines_of(more.out, "  iterations=3 n=300") == 2);
  CHECK(lines_of(more.out, "  iterations=4 n=300") == 2);
  CHECK(more.out.find("4 evaluations planned, 8 already done\n") != std::string::npos);
}

TEST_CASE("a sweep over an axis leaves out what the definition's constraints forbid") {
  FibRun run;
  run.dataset
      .definition(
          "test", "even", R"({"name": "even", "op_type": "test", "axes": {"n": {"type": "var"}},
        "inputs": {"a": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"b": {"shape": ["n"], "dtype": "float32"}},
        "constraints": ["n % 2 == 0"], "reference": "import torch\n\ndef run(a):\n    return a\n"})",
          {R"({"definition": "even", "workload": {"axes": {"n": 4}, "inputs": {"a": {"type": "random"}}, "uuid": "w"}})"})
      .solution("one", "alice", "extern \"C\" void run(const float*, float*, long) {}", "even");
  const auto result = run.run({"--dry-run", "--sweep", "n=3,4,5"});
  CHECK(result.exit_code == 0);
  CHECK(result.out == "cpu  even  one  w  n=4\n1 evaluation planned\n");
  CHECK(result.err.find("not swept: even ") != std::string::npos);
  CHECK(result.err.find(" n=3 and 1 more: constraint 'n % 2 == 0' does not hold, for 1 == 0 is false") !=
        std::string::npos);
}

TEST_CASE("a sweep of what cannot be swept is wrong usage, with what can") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  const auto error_of = [&](const std::string& sweep) {
    const auto result = run.run({"--sweep", sweep});
    INFO(sweep);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(error_of("speed=1").find("--sweep: speed cannot be swept; what can: options: iterations, ") == 0);
  CHECK(error_of("speed=1").find("axes of the selected definitions: n\n") != std::string::npos);
  CHECK(error_of("iterations=0").find("--iterations must be positive") != std::string::npos);
  CHECK(error_of("n=-1").find("n: \"-1\" is not a whole number above 0") != std::string::npos);
  CHECK_FALSE(fs::exists(run.dataset.root() / "traces"));
}

TEST_CASE(
    "a run's record says where, from which commit and how it was made, and hides the seed in the command") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"init", "-q", "-b", "mine"},
        {"-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "--allow-empty", "-m", "one"}}) {
    std::vector<std::string> command = {"git"};
    command.insert(command.end(), words.begin(), words.end());
    REQUIRE(util::run_command(command, run.dataset.root()).succeeded());
  }
  const std::string head = util::run_command({"git", "rev-parse", "HEAD"}, run.dataset.root()).output;
  REQUIRE(run.run(few({"--seed", "very-secret", "--device", "cpu"})).exit_code == 0);
  const json record = record_of(run);
  CHECK(record.at("schema_version") == 3);
  CHECK(record.at("dataset_git").at("commit").get<std::string>() + "\n" == head);
  CHECK(record.at("dataset_git").at("branch") == "mine");
  CHECK(record.contains("current_git"));
  CHECK(record.at("cuda").is_null());
  for (const char* key : {"host", "cpu", "os", "kernel"}) {
    CHECK_FALSE(record.at("machine").at(key).get<std::string>().empty());
  }
  CHECK(record.at("machine").at("cores") >= 1);
  CHECK_FALSE(record.at("compilers").at("cxx").get<std::string>().empty());
  CHECK(record.at("sweep").is_null());
  CHECK(record.at("definitions") == 1);
  CHECK(record.at("solutions") == 1);
  CHECK(record.at("planned") == 1);
  CHECK(record.at("passed") == 1);
  CHECK(record.at("failed") == json::object());
  CHECK(record.at("seed") == "very-secret");
  const auto command = record.at("command").get<std::vector<std::string>>();
  CHECK(command.at(1) == "run");
  CHECK(std::find(command.begin(), command.end(), "--seed") != command.end());
  CHECK(record.at("command").dump().find("very-secret") == std::string::npos);
}

TEST_CASE("fib history tells of real runs, with their failures") {
  FibRun run;
  run.dataset.add_definition({100, 200}).solution("one", "alice", kHonest).solution("bad", "bob", "nonsense");
  REQUIRE(run.run(few({"--sweep", "rtol=0.25,0.5", "--seed", "very-secret"})).exit_code == 0);
  const auto history = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {fib_binary(), "history", "--local", run.dataset.root().string()});
    const auto result = run_process(words, run.environment());
    CHECK(result.err.empty());
    CHECK(result.exit_code == 0);
    return result.out;
  };
  const json list = json::parse(history({"--format", "json"})).at("datasets").at(0).at("runs");
  REQUIRE(list.size() == 1);
  CHECK(list[0].at("evaluations") == 8);
  CHECK(list[0].at("passed") == 4);
  CHECK(list[0].at("failed") == 4);
  CHECK(list[0].at("record") == true);
  CHECK(list[0].at("sweep").at("rtol").size() == 2);
  CHECK(list[0].at("config_differences") == json{{"iterations", 4}, {"num_trials", 2}, {"warmup_runs", 1}});
  const json shown = json::parse(history({"last", "--format", "json"})).at("datasets").at(0);
  REQUIRE(shown.at("evaluations").size() == 4);
  CHECK(shown.at("evaluations")[0].at("solution") == "bad");
  CHECK(shown.at("evaluations")[0].at("failed_by_status") == json{{"COMPILE_ERROR", 2}});
  CHECK(shown.at("evaluations")[1].at("latency_ms") > 0);
  CHECK_FALSE(shown.at("record").contains("seed"));
  CHECK(history({"last"}).find("very-secret") == std::string::npos);
  CHECK(history({"last", "--show-seed"}).find("very-secret") != std::string::npos);

  // Without its record the run is still there.
  fs::remove_all(run.dataset.root() / "runs");
  const json killed = json::parse(history({"--format", "json"})).at("datasets").at(0).at("runs");
  REQUIRE(killed.size() == 1);
  CHECK(killed[0].at("run_id") == list[0].at("run_id"));
  CHECK(killed[0].at("record") == false);
  CHECK(killed[0].at("evaluations") == 8);
  CHECK(killed[0].at("failed") == 4);
}
