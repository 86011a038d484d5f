#include <catch2/catch.hpp>

#include "dataset/baselines.h"
#include "dataset/merge.h"
#include "dataset/run_order.h"
#include "dataset/temporary_dataset.h"
#include "util/error.h"
#include "util/files.h"

using namespace fib;
using dataset::Problem;

namespace {

std::string line(const std::string& name, const std::string& run, const std::string& day) {
  const std::string id = run.empty() ? "null" : "\"" + run + "\"";
  return R"({"name":")" + name + R"(","run_id":)" + id + R"(,"set_utc":"2026-03-)" + day +
         "T00:00:00+00:00\"}\n";
}

std::map<std::string, std::string> runs_of(const std::filesystem::path& root) {
  std::vector<Problem> problems;
  auto runs = dataset::runs_by_name(dataset::read_baselines(root, problems));
  CHECK(problems.empty());
  return runs;
}

using Runs = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("the line of a baseline that was written last counts; one without a run takes the name away") {
  const testing::TemporaryDataset files;
  CHECK(runs_of(files.root()).empty());
  files.write("runs/baselines.jsonl", line("main", "b", "02") + line("main", "a", "01") +
                                          line("gone", "a", "01") + line("gone", "", "02") +
                                          line("tie", "a", "01") + line("tie", "b", "01"));
  CHECK(runs_of(files.root()) == Runs{{"main", "b"}, {"tie", "b"}});
  std::vector<Problem> problems;
  const auto baselines = dataset::read_baselines(files.root(), problems);
  const std::vector<std::string> both{"main", "tie"};
  CHECK(dataset::names_of_run(baselines, "b") == both);
  CHECK(dataset::names_by_run(baselines) == std::map<std::string, std::vector<std::string>>{{"b", both}});
}

TEST_CASE("lines that are no baselines are problems and cost themselves") {
  const testing::TemporaryDataset files;
  files.write("runs/baselines.jsonl", "nonsense\n[]\n" + line("last", "a", "01") + line("main", "a", "01"));
  std::vector<Problem> problems;
  const auto baselines = dataset::read_baselines(files.root(), problems);
  REQUIRE(baselines.size() == 1);
  CHECK(baselines[0].set_utc == "2026-03-01T00:00:00+00:00");
  REQUIRE(problems.size() == 3);
  CHECK(dataset::to_string(problems[1]) ==
        "runs/baselines.jsonl:2: this is no record of a baseline: it has no \"name\"");
  CHECK_THAT(dataset::to_string(problems[2]), Catch::Contains("\"last\" cannot name a baseline"));
}

TEST_CASE("names are written and taken away by lines that are appended") {
  const testing::TemporaryDataset files;
  dataset::write_baseline(files.root(), "main", "20260101T0Z-1");
  dataset::write_baseline(files.root(), "v1.2_rc-3", "20260101T0Z-1");
  CHECK(runs_of(files.root()) == Runs{{"main", "20260101T0Z-1"}, {"v1.2_rc-3", "20260101T0Z-1"}});
  dataset::write_baseline(files.root(), "main", "20260102T0Z-1");
  dataset::write_baseline(files.root(), "v1.2_rc-3", std::nullopt);
  CHECK(runs_of(files.root()) == Runs{{"main", "20260102T0Z-1"}});
  const std::string text = util::read_file(files.root() / "runs" / "baselines.jsonl");
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
}

TEST_CASE("what could be taken for something else names no baseline") {
  const testing::TemporaryDataset files;
  for (const std::string name : {"", "last", "last~1", "run:x", "2026", "a/b", "a b", "-x", "../x", "a\n"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(dataset::write_baseline(files.root(), name, "r"), Error);
  }
  CHECK_THROWS_AS(dataset::checked_baseline_name(std::string(65, 'a')), Error);
  CHECK(dataset::checked_baseline_name(std::string(64, 'a')).size() == 64);
  CHECK_FALSE(std::filesystem::exists(files.root() / "runs"));
}

TEST_CASE("a baseline names its run wherever a run is meant") {
  const std::vector<std::string> ids = {"20260101", "20260102"};
  CHECK(dataset::find_run(ids, "main", {{"main", "20260101"}}) == "20260101");
  CHECK_FALSE(dataset::find_run(ids, "other", {{"main", "20260101"}}));
  CHECK_THROWS_WITH(dataset::find_run(ids, "main", {{"main", "gone"}}),
                    "the baseline main is run gone, of which there is nothing here");
}

TEST_CASE("a merge keeps baselines; where datasets differ the later one counts and is said") {
  const testing::TemporaryDataset a;
  const testing::TemporaryDataset b;
  const testing::TemporaryDataset place;
  for (const auto* files : {&a, &b}) files->write("definitions/op/d.json", testing::definition_text("d"));
  a.write("runs/baselines.jsonl", line("main", "1", "01") + line("only", "1", "01"));
  b.write("runs/baselines.jsonl", line("main", "2", "02"));
  for (const bool turned : {false, true}) {
    const auto output = place.root() / (turned ? "turned" : "straight");
    const auto report = turned ? dataset::merge({b.root(), a.root()}, output, {})
                               : dataset::merge({a.root(), b.root()}, output, {});
    CHECK(runs_of(output) == Runs{{"main", "2"}, {"only", "1"}});
    CHECK(report.baselines.written == 3);
    CHECK(report.conflicts ==
          std::vector<std::string>{"baseline main: in " + a.root().string() +
                                   " it is run 1; it is run 2 now, which was said later"});
  }
}
