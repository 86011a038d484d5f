#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <sstream>

#include "run_gate.h"
#include "run_support.h"

// What `fib run` ends with: the table of docs/ci.md, line by line, and the sentences.
using namespace fib;
using namespace fib::testing;

namespace {

namespace fs = std::filesystem;

const std::string kWrong = "extern \"C\" void run(const float*, const float*, float*, long) {}";

void add_cuda_solution(FibRun& run) {
  run.dataset.solution("for_a_gpu", "bob", kHonest);
  const auto file = run.dataset.root() / "solutions/bob/test/add/for_a_gpu.json";
  auto text = util::read_file(file);
  const std::string cpp = "\"language\": \"cpp\"";
  const auto place = text.find(cpp);
  REQUIRE(place != std::string::npos);
  util::write_file_atomic(file, text.replace(place, cpp.size(), "\"language\": \"cuda\""));
}

using Options = std::vector<std::string>;

// A right solution, and a line in this file of the dataset that cannot be read.
std::function<Options(FibRun&)> torn_line_in(const std::string& file) {
  return [file](FibRun& run) {
    run.dataset.solution("one", "alice", kHonest);
    fs::create_directories((run.dataset.root() / file).parent_path());
    util::write_file_atomic(run.dataset.root() / file, "{bad\n");
    return Options{};
  };
}

const std::map<std::string, std::function<Options(FibRun&)>>& cases() {
  static const std::map<std::string, std::function<Options(FibRun&)>> all{
      {"everything passed",
       [](FibRun& run) {
         run.dataset.solution("one", "alice", kHonest);
         return Options{};
       }},
      {"something did not pass",
       [](FibRun& run) {
         run.dataset.solution("one", "alice", kHonest).solution("wrong", "bob", kWrong);
         return Options{};
       }},
      {"`--resume` left out what did not pass",
       [](FibRun& run) {
         run.dataset.solution("wrong", "bob", kWrong);
         REQUIRE(run.run(few()).exit_code == 0);
         return Options{"--resume"};
       }},
      {"nothing was planned", [](FibRun&) { return Options{}; }},
      {"a solution was skipped, for this machine cannot run it",
       [](FibRun& run) {
         run.dataset.solution("one", "alice", kHonest);
         add_cuda_solution(run);
         return Options{};
       }},
      {"the same with `--allow-skipped`",
       [](FibRun& run) {
         run.dataset.solution("one", "alice", kHonest);
         add_cuda_solution(run);
         return Options{"--allow-skipped"};
       }},
      {"every solution was skipped, with `--allow-skipped`",
       [](FibRun& run) {
         add_cuda_solution(run);
         return Options{"--allow-skipped"};
       }},
      {"a definition, solution or workload did not load",
       [](FibRun& run) {
         run.dataset.solution("one", "alice", kHonest).solution("wrong", "bob", kWrong);
         util::write_file_atomic(run.dataset.root() / "solutions/alice/test/add/torn.json", "{");
         return Options{};
       }},
      {"a line of earlier results cannot be read", torn_line_in("traces/alice/test/torn.jsonl")},
      {"a line of the records of runs cannot be read", torn_line_in("runs/runs.jsonl")},
      {"a line of `runs/baselines.jsonl` cannot be read", torn_line_in("runs/baselines.jsonl")},
      {"a solution's definition, or all workloads of it, are not there",
       [](FibRun& run) {
         run.dataset.solution("one", "alice", kHonest);
         fs::copy_file(run.dataset.root() / "solutions/alice/test/add/one.json",
                       run.dataset.root() / "solutions/lost.json");
         auto text = util::read_file(run.dataset.root() / "solutions/lost.json");
         for (const auto& [from, to] :
              {std::pair<std::string, std::string>{"\"name\": \"one\"", "\"name\": \"lost\""},
               {"\"definition\": \"add\"", "\"definition\": \"gone\""}}) {
           const auto place = text.find(from);
           REQUIRE(place != std::string::npos);
           text.replace(place, from.size(), to);
         }
         util::write_file_atomic(run.dataset.root() / "solutions/lost.json", text);
         // Nobody knows its op type.
         return Options{"--allow-skipped", "--op-types", "test"};
       }},
      {"`--expect 2`, and there is another number of results",
       [](FibRun& run) {
         run.dataset.solution("one", "alice", kHonest);
         return Options{"--expect", "2"};
       }},
      {"an option names what the dataset does not have",
       [](FibRun& run) {
         run.dataset.solution("one", "alice", kHonest);
         return Options{"--solutions", "two"};
       }},
      {"the dataset's folder is not there",
       [](FibRun& run) {
         fs::remove_all(run.dataset.root());
         return Options{};
       }},
  };
  return all;
}

struct Line {
  std::string what;
  int plain = -1;
  int strict = -1;
};

// The lines of the table that begins with "| `fib run`".
std::vector<Line> documented() {
  std::istringstream text(util::read_file(source_folder() / "docs/ci.md"));
  std::vector<Line> lines;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("| What happened |")) inside = true;
    if (!line.starts_with('|')) inside = false;
    if (!inside || line.starts_with("| What") || line.starts_with("|---")) continue;
    Line one;
    std::istringstream cells(line.substr(1));
    std::string cell;
    std::getline(cells, cell, '|');
    one.what = cell.substr(1, cell.size() - 2);
    std::getline(cells, cell, '|');
    one.plain = std::stoi(cell);
    std::getline(cells, cell, '|');
    one.strict = std::stoi(cell);
    lines.push_back(one);
  }
  return lines;
}

cmd::RunOutcome outcome_of(std::size_t results, std::size_t failures) {
  cmd::RunOutcome outcome;
  outcome.results = results;
  outcome.failures = failures;
  return outcome;
}

}  // namespace

TEST_CASE("fib run ends as docs/ci.md says, in every line") {
  const auto lines = documented();
  CHECK(lines.size() == cases().size());
  for (const Line& line : lines) {
    INFO(line.what);
    REQUIRE(cases().contains(line.what));
    for (const bool strict : {false, true}) {
      INFO(strict);
      FibRun run;
      run.dataset.add_definition({100});
      auto options = cases().at(line.what)(run);
      if (strict) options.push_back("--strict");
      const auto result = run.run(few(options));
      INFO(result.out << result.err);
      CHECK(result.exit_code == (strict ? line.strict : line.plain));
    }
  }
}

TEST_CASE("an interruption comes before what could not be done, and that before a gate") {
  auto outcome = outcome_of(3, 1);
  const cmd::GateOptions strict{true, false, 5};
  CHECK(cmd::judge_run(outcome, strict).exit_code == 3);
  outcome.not_done = 1;
  CHECK(cmd::judge_run(outcome, strict).exit_code == 1);
  CHECK(cmd::judge_run(outcome, {}).exit_code == 1);
  outcome.is_interrupted = true;
  CHECK(cmd::judge_run(outcome, strict).exit_code == 130);
  CHECK(cmd::judge_run(outcome, strict).reasons ==
        std::vector<std::string>{"the gate is undecided, for the run was interrupted",
                                 "--strict: 1 of 3 evaluations did not pass"});
  CHECK(cmd::judge_run(outcome, {}).reasons.empty());
}

TEST_CASE("a gate names the solutions that did not pass, those too that --resume left out") {
  auto outcome = outcome_of(9, 5);
  outcome.failed_solutions = {"a", "b", "c", "d", "e"};
  CHECK(cmd::judge_run(outcome, {true, false, {}}).reasons ==
        std::vector<std::string>{"--strict: 5 of 9 evaluations did not pass: a, b, c and 2 more solutions"});
  FibRun run;
  run.dataset.add_definition({100}).solution("wrong", "bob", kWrong);
  for (const Options& options : {Options{"--strict"}, Options{"--strict", "--resume"}}) {
    const auto result = run.run(few(options));
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Catch::Contains("--strict: 1 of 1 evaluation did not pass: wrong\n"));
  }
}

TEST_CASE("a gate that does not hold says every reason") {
  auto outcome = outcome_of(3, 1);
  outcome.skipped = 2;
  outcome.unloaded = 2;
  const auto verdict = cmd::judge_run(outcome, {true, false, 5});
  CHECK(verdict.exit_code == 1);
  CHECK(verdict.reasons ==
        std::vector<std::string>{
            "--expect: there are 3 results, not 5", "--strict: 1 of 3 evaluations did not pass",
            "--strict: 2 solutions were skipped; --allow-skipped says that this is meant",
            "--strict: 2 files or lines of definitions, solutions and workloads did not load"});
  CHECK(cmd::judge_run(outcome, {true, true, {}}).reasons.size() == 2);
  CHECK(cmd::judge_run(outcome, {false, false, 3}).exit_code == 0);
  CHECK(cmd::judge_run(outcome_of(0, 0), {true, false, {}}).reasons ==
        std::vector<std::string>{"--strict: there is no result"});
  outcome = outcome_of(1, 0);
  outcome.unloaded = outcome.skipped = 1;
  CHECK(cmd::judge_run(outcome, {true, false, {}}).reasons ==
        std::vector<std::string>{
            "--strict: 1 solution was skipped; --allow-skipped says that this is meant",
            "--strict: 1 file or line of definitions, solutions and workloads did not load"});
}

TEST_CASE("the gate of a plan that is only printed is that of the run, if all goes well") {
  FibRun run;
  run.dataset.add_definition({100, 200}).solution("one", "alice", kHonest);
  CHECK(run.run({"--dry-run", "--strict", "--expect", "2"}).exit_code == 0);
  const auto result = run.run({"--dry-run", "--expect", "3"});
  CHECK(result.exit_code == 3);
  CHECK(result.err.find("--expect: there are 2 results, not 3") != std::string::npos);
  add_cuda_solution(run);
  CHECK(run.run({"--dry-run", "--strict"}).exit_code == 3);
}

TEST_CASE("there cannot be fewer than no results") {
  FibRun run;
  run.dataset.add_definition({100});
  CHECK(run.run({"--dry-run", "--expect", "-1"}).exit_code == 2);
}

TEST_CASE("a gate says how many lines of earlier results cannot be read") {
  auto outcome = outcome_of(1, 0);
  outcome.unloaded_traces = 1;
  CHECK(cmd::judge_run(outcome, {}).exit_code == 0);
  CHECK(cmd::judge_run(outcome, {true, false, {}}).exit_code == 1);
  CHECK(cmd::judge_run(outcome, {true, false, {}}).reasons ==
        std::vector<std::string>{
            "--strict: 1 file or line of results cannot be read, and what they say of earlier runs is lost"});
}
