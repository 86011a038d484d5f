#include <catch2/catch.hpp>

#include "dataset/baselines.h"
#include "dataset/merge.h"
#include "dataset/runs.h"
#include "dataset/temporary_dataset.h"
#include "support/temporary.h"
#include "util/error.h"

using namespace fib;
using dataset::Problem;

TEST_CASE("records of runs are read in the order in which the runs began, with all they say") {
  const testing::TemporaryDataset files;
  files.write(
      "runs/runs.jsonl",
      R"({"run_id":"20260318T0Z-2","hardware":"H"})"
      "\n\n"
      R"({"run_id":"20260317T0Z-1","schema":2,"hardware":"NVIDIA H200","device":"cuda",)"
      R"("machine":{"host":"node7"},"dataset_git":{"commit":"abc","branch":null},)"
      R"("config":{"iterations":10},"sweep":{"n":[1,2]},"seed":"secret","mine":[1,{"a":2}],)"
      R"("started_utc":"2026-03-17T00:00:00+00:00","ended_utc":"2026-03-17T00:01:00+00:00",)"
      R"("definitions":2,"solutions":3,"finished":6,"passed":4,"failed":{"TIMEOUT":2},)"
      R"("not_done":1,"interrupted":true,"skipped":[{"solution":"gpu","fault":"machine","reason":"no GPU"}]})"
      "\n");
  std::vector<Problem> problems;
  const auto runs = dataset::read_runs(files.root(), problems);
  CHECK(problems.empty());
  REQUIRE(runs.size() == 2);
  const auto& run = runs[0];
  CHECK(run.run_id == "20260317T0Z-1");
  CHECK(run.hardware == "NVIDIA H200");
  CHECK(run.device == "cuda");
  CHECK(run.host == "node7");
  REQUIRE(run.dataset_git);
  CHECK(run.dataset_git->commit == "abc");
  CHECK_FALSE(run.dataset_git->branch);
  CHECK(run.started_utc == "2026-03-17T00:00:00+00:00");
  CHECK(run.ended_utc == "2026-03-17T00:01:00+00:00");
  CHECK(run.definitions == 2);
  CHECK(run.solutions == 3);
  CHECK(run.finished == 6);
  CHECK(run.passed == 4);
  CHECK(run.failed == std::map<std::string, std::size_t>{{"TIMEOUT", 2}});
  CHECK(run.not_done == 1);
  CHECK(run.interrupted);
  REQUIRE(run.skipped.size() == 1);
  CHECK(run.skipped[0].solution == "gpu");
  CHECK(run.skipped[0].reason == "no GPU");
  CHECK(run.config.at("iterations") == 10);
  CHECK(run.sweep.at("n").size() == 2);
  CHECK(run.document.at("mine")[1].at("a") == 2);
  CHECK(run.document.at("seed") == "secret");
  const auto& brief = runs[1];
  CHECK(brief.hardware == "H");
  CHECK_FALSE(brief.finished);
  CHECK_FALSE(brief.dataset_git);
  CHECK(brief.config.is_null());
  CHECK_FALSE(brief.interrupted);
}

TEST_CASE("records of runs and baselines that lie outside of the dataset by a link are not read") {
  const testing::TemporaryDataset elsewhere;
  elsewhere.write("runs/runs.jsonl", "{\"run_id\":\"1\"}\n");
  elsewhere.write("runs/baselines.jsonl", "PASSWORD\n");
  for (const bool whole : {true, false}) {
    const testing::TemporaryDataset files;
    if (whole) {
      std::filesystem::create_directory_symlink(elsewhere.root() / "runs", files.root() / "runs");
    } else {
      std::filesystem::create_directory(files.root() / "runs");
      for (const char* file : {"runs/runs.jsonl", "runs/baselines.jsonl"})
        std::filesystem::create_symlink(elsewhere.root() / file, files.root() / file);
    }
    std::vector<Problem> problems;
    CHECK(dataset::read_runs(files.root(), problems).empty());
    CHECK(dataset::read_baselines(files.root(), problems).empty());
    REQUIRE(problems.size() == 2);
    for (const auto& problem : problems)
      CHECK(problem.message == "it lies outside of the dataset, by a link; put the file itself there");
    const testing::TemporaryFolder folder;
    CHECK_THROWS_WITH(dataset::merge({files.root()}, folder.path() / "out", {}),
                      Catch::Contains("it lies outside of the dataset, by a link"));
  }
}

TEST_CASE("a bad line costs itself, and a run has one record") {
  const testing::TemporaryDataset files;
  files.write("runs/runs.jsonl",
              "{\"run_id\":\"1\"}\nnot json\n[1]\n{\"seed\":\"s\"}\n{\"run_id\":7}\n{\"run_id\":\"1\"}\n"
              "{\"run_id\":\"1\",\"passed\":2}\n{\"run_id\":\"2\"");
  std::vector<Problem> problems;
  const auto runs = dataset::read_runs(files.root(), problems);
  REQUIRE(runs.size() == 1);
  CHECK_FALSE(runs[0].passed);
  REQUIRE(problems.size() == 6);
  std::vector<std::size_t> lines;
  for (const auto& problem : problems) {
    CHECK(problem.file == "runs/runs.jsonl");
    lines.push_back(problem.line);
  }
  CHECK(lines == std::vector<std::size_t>{2, 3, 4, 5, 7, 8});
  CHECK(problems[2].message == "this is no record of a run: it has no \"run_id\"");
  CHECK(problems[4].message == "run 1 has another record above; that is kept");
  CHECK(problems[4].severity == dataset::Severity::warning);
}

TEST_CASE("problems with lines of a file are told up to the thousandth, and counted then") {
  const testing::TemporaryDataset files;
  std::string lines;
  for (int i = 0; i < 1500; ++i) lines += "1\n";
  for (const char* name : {"runs/runs.jsonl", "runs/baselines.jsonl"}) {
    files.write(name, lines);
    std::vector<Problem> problems;
    if (std::string(name) == "runs/runs.jsonl") {
      (void)dataset::read_runs(files.root(), problems);
    } else {
      (void)dataset::read_baselines(files.root(), problems);
    }
    REQUIRE(problems.size() == 1001);
    CHECK(dataset::to_string(problems[999]).find(std::string(name) + ":1000: ") == 0);
    CHECK(dataset::to_string(problems[1000]) == std::string(name) + ": 500 more of its lines have problems");
  }
}

TEST_CASE("what a record says in a form of its own is not believed") {
  const testing::TemporaryDataset files;
  files.write("runs/runs.jsonl",
              R"({"run_id":"1","passed":-1,"finished":1.5,"not_done":"2","interrupted":"yes","config":[],)"
              R"("failed":{"TIMEOUT":-3,"PASSED":null},"dataset_git":"abc","hardware":3,"machine":4,)"
              R"("skipped":[1,{"solution":2},{"reason":"r"}]})");
  std::vector<Problem> problems;
  const auto runs = dataset::read_runs(files.root(), problems);
  REQUIRE(runs.size() == 1);
  CHECK_FALSE(runs[0].passed);
  CHECK_FALSE(runs[0].finished);
  CHECK_FALSE(runs[0].not_done);
  CHECK_FALSE(runs[0].interrupted);
  CHECK(runs[0].failed.empty());
  CHECK_FALSE(runs[0].dataset_git);
  CHECK(runs[0].config.is_null());
  CHECK(runs[0].hardware.empty());
  CHECK(runs[0].skipped.empty());
}

TEST_CASE("a dataset without runs/ has no runs; a folder in the file's place is an error") {
  const testing::TemporaryDataset files;
  std::vector<Problem> problems;
  CHECK(dataset::read_runs(files.root(), problems).empty());
  CHECK(problems.empty());
  files.write("runs/runs.jsonl/x", "");
  CHECK_THROWS_AS(dataset::read_runs(files.root(), problems), Error);
}

TEST_CASE("what an interruption has left undone is counted") {
  const testing::TemporaryDataset files;
  files.write("runs/runs.jsonl",
              R"({"run_id":"1","planned":68,"finished":16,"not_done":0,"interrupted":true})"
              "\n");
  std::vector<Problem> problems;
  CHECK(dataset::read_runs(files.root(), problems).at(0).not_done == 52);
}
