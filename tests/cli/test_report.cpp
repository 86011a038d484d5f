#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "model/shared_data.h"
#include "report/sample_dataset.h"

using namespace fib;
using testing::check_golden;
using testing::CommandOutput;
using testing::definition_text;
using testing::run_fib;
using testing::SampleTrace;
using testing::solution_text;
using testing::TemporaryDataset;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

namespace {

// The datasets "sample" and "empty" below one folder, so that the paths in the output are always the same.
class Datasets {
 public:
  Datasets() {
    testing::write_sample(sample_);
    std::filesystem::rename(sample_.root(), folder() / "sample");
    files_.write("empty/definitions/d.json", definition_text("d"));
  }
  [[nodiscard]] std::filesystem::path folder() const { return files_.root(); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return files_.write(name, text);
  }

 private:
  TemporaryDataset files_;
  TemporaryDataset sample_;
};

void check(const Datasets& datasets, const Words& words, const std::string& golden) {
  const CommandOutput output = run_fib(words, datasets.folder());
  CHECK(output.err == "");
  CHECK(output.exit_code == 0);
  check_golden(golden, output.out);
}

Json parsed(const Words& words, const std::filesystem::path& folder) {
  const CommandOutput output = run_fib(words, folder);
  CHECK(output.err == "");
  REQUIRE(output.exit_code == 0);
  return Json::parse(output.out);
}

// [author, score] as the golden answers have it.
Json ranking_of(const Json& authors) {
  Json ranking = Json::array();
  for (const Json& row : authors) {
    Json score;
    for (const char* key :
         {"avg_speedup", "definitions", "workloads", "success_rate", "win_rate", "best_solutions"}) {
      score[key] = row.at(key);
    }
    ranking.push_back({row.at("author"), score});
  }
  return ranking;
}

}  // namespace

TEST_CASE("the summary is printed in all formats") {
  const Datasets datasets;
  const Words summary{"report", "summary", "--local", "sample"};
  const auto with = [&](const Words& more) {
    Words words = summary;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  check(datasets, summary, "report_summary.txt");
  check(datasets, with({"--format", "md"}), "report_summary.md");
  check(datasets, with({"--format", "json"}), "report_summary.json");
  check(datasets, with({"--format", "csv"}), "report_summary_authors.csv");
  check(datasets, with({"--format", "csv", "--show", "solutions"}), "report_summary_solutions.csv");
  check(datasets, with({"--show", "authors", "--op-type", "norm", "--hardware", "AMD*"}),
        "report_summary_filtered.txt");
  check(datasets, with({"--local", "empty"}), "report_summary_two.txt");
  check(datasets, with({"--baseline-author", "carol", "--definition", "gemm_n128"}),
        "report_summary_no_baseline.txt");
}

TEST_CASE("an author of baselines who has no solution is a slip of the pen") {
  const Datasets datasets;
  for (const Words& command :
       {Words{"report", "summary"}, {"report", "rank"}, {"report", "sol"}, {"visualize"}}) {
    Words words = command;
    words.insert(words.end(), {"--local", "sample", "--baseline-author", "carole"});
    const auto result = run_fib(words, datasets.folder());
    INFO(command.back());
    CHECK(result.exit_code == 1);
    CHECK(result.err == "fib: no author is called \"carole\"; did you mean \"carol\"?\n");
  }
}

TEST_CASE("the best solutions are printed in all formats") {
  const Datasets datasets;
  const Words best{"report", "best", "--local", "sample"};
  const auto with = [&](const Words& more) {
    Words words = best;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  check(datasets, best, "report_best.txt");
  check(datasets, with({"--format", "md"}), "report_best.md");
  check(datasets, with({"--format", "json"}), "report_best.json");
  check(datasets, with({"--format", "csv"}), "report_best.csv");
  check(datasets, with({"--per-workload"}), "report_best_per_workload.txt");
  check(datasets, with({"--axes", "M=64", "--max-abs-error", "0.01", "--hardware", testing::kCpu}),
        "report_best_limited.txt");
}

TEST_CASE("of every trace the numbers of the summary are the golden answers") {
  const auto golden = testing::shared_data("golden");
  if (!golden) return;
  const Json expected = Json::parse(util::read_file(*golden / "query_expected.json"));
  for (const auto& [name, answer] : expected.items()) {
    INFO(name);
    const Json report = parsed({"report", "summary", "--local", name, "--format", "json", "--traces", "all"},
                               *golden / "query_datasets")
                            .at("datasets");
    REQUIRE(report.size() == 1);
    REQUIRE(report[0].at("hardware").size() == 1);
    const Json& hardware = report[0]["hardware"][0];
    const Json& summary = answer.at("summary");
    if (summary.contains("error")) {
      CHECK(hardware.at("against") == "reference");
      CHECK("ValueError: " + hardware.at("reason").get<std::string>() == summary["error"]);
      continue;
    }
    CHECK(hardware.at("against") == "baseline");
    CHECK(ranking_of(hardware.at("authors")) == summary.at("rankings"));
    for (const char* key : {"total", "passed", "failed"})
      CHECK(report[0].at("traces").at(key) == summary.at(key));
    for (const Json& row : hardware.at("solutions")) {
      const Json& score = answer.at("solution_scores").at(row.at("solution").get<std::string>());
      if (!score.is_null()) CHECK(row.at("speedup") == score.at("avg_speedup"));
    }
  }
}

TEST_CASE("of every trace the best are the golden answers when errors are limited as upstream limits them") {
  const auto golden = testing::shared_data("golden");
  if (!golden) return;
  const Json expected = Json::parse(util::read_file(*golden / "query_expected.json"));
  for (const auto& [name, answer] : expected.items()) {
    INFO(name);
    const Json report = parsed({"report", "best", "--local", name, "--format", "json", "--traces", "all",
                                "--max-abs-error", "1e-2", "--max-rel-error", "1e-2"},
                               *golden / "query_datasets");
    for (const Json& row : report.at("datasets")[0].at("hardware")[0].at("best")) {
      const Json& best = answer.at("best_trace " + row.at("definition").get<std::string>());
      CHECK(Json{row.at("solution"), row.at("workload"), row.at("speedup_factor")} == best);
    }
  }
}

TEST_CASE("without traces a report says how to get some") {
  const Datasets datasets;
  for (const char* report : {"summary", "best"}) {
    const auto output = run_fib({"report", report, "--local", "empty"}, datasets.folder());
    CHECK(output.out == "No traces in empty. To get some: fib run --local empty\n");
    CHECK(output.err == "");
    CHECK(output.exit_code == 0);
    CHECK(run_fib({"report", report, "--local", "empty", "--format", "csv"}, datasets.folder()).exit_code ==
          0);
  }
}

TEST_CASE("the default dataset is that of FIB_DATASET_PATH; a missing folder is one sentence") {
  const Datasets datasets;
  const auto here = run_fib({"report", "summary"}, datasets.folder(), {{"FIB_DATASET_PATH", "empty"}});
  CHECK(here.out == "No traces in empty. To get some: fib run --local empty\n");
  const auto missing = run_fib({"report", "summary"}, datasets.folder(), {{"FIB_DATASET_PATH", "nowhere"}});
  CHECK(missing.exit_code == 1);
  CHECK(missing.out == "");
  CHECK(missing.err ==
        "fib: there is no dataset folder nowhere; name one with --local DIR or with FIB_DATASET_PATH\n");
}

TEST_CASE("problems of loading go to stderr, at most ten, and fail only under --strict-load") {
  const Datasets datasets;
  std::string lines;
  for (int i = 0; i < 12; ++i) lines += "{}\n";
  datasets.write("sample/traces/broken.jsonl", lines);
  const auto output = run_fib({"report", "summary", "--local", "sample"}, datasets.folder());
  CHECK(output.exit_code == 0);
  CHECK(std::count(output.err.begin(), output.err.end(), '\n') == 11);
  CHECK_THAT(output.err, Catch::StartsWith("error: sample/traces/broken.jsonl:1: "));
  CHECK_THAT(output.err, Catch::EndsWith("... and 2 more in sample\n"));
  const auto strict = run_fib({"report", "summary", "--local", "sample", "--strict-load"}, datasets.folder());
  CHECK(strict.exit_code == 1);
  CHECK(strict.out == "");
}

TEST_CASE("of warnings of a kind the first is told, after errors; --log-level debug tells all") {
  const Datasets datasets;
  for (const char* name : {"orphan_1", "orphan_2", "orphan_3"})
    datasets.write(std::string("sample/solutions/") + name + ".json",
                   solution_text(name, "alice", "cpp", "cpu", "nowhere"));
  datasets.write("sample/traces/broken.jsonl", "{}\n");
  const auto lines_of = [&](const Words& more) {
    Words words{"report", "summary", "--local", "sample"};
    words.insert(words.end(), more.begin(), more.end());
    const auto output = run_fib(words, datasets.folder());
    CHECK(output.exit_code == 0);
    return output.err;
  };
  const std::string few = lines_of({});
  CHECK_THAT(few, Catch::StartsWith("error: sample/traces/broken.jsonl:1: "));
  CHECK_THAT(few, Catch::EndsWith(
                      "warning: sample/solutions/orphan_1.json: solution \"orphan_1\" is for the unknown "
                      "definition \"nowhere\" (3 such; --log-level debug shows all)\n"));
  CHECK(std::count(few.begin(), few.end(), '\n') == 2);
  const std::string all = lines_of({"--log-level", "debug"});
  CHECK(std::count(all.begin(), all.end(), '\n') == 4);
  CHECK_THAT(all, Catch::Contains("warning: sample/solutions/orphan_3.json: "));
}

TEST_CASE("filters that name nothing are errors; wrong words are wrong usage") {
  const Datasets datasets;
  const auto error = [&](const Words& more) {
    Words words{"report", "summary", "--local", "sample"};
    words.insert(words.end(), more.begin(), more.end());
    const auto output = run_fib(words, datasets.folder());
    CHECK(output.out == "");
    return std::pair(output.exit_code, output.err);
  };
  CHECK(error({"--op-type", "conv"}) ==
        std::pair(1, std::string("fib: no definition of op type \"conv\"; there are: gemm, norm\n")));
  CHECK(error({"--definition", "x"}) ==
        std::pair(1, std::string("fib: no definition \"x\"; to see all: fib list definitions\n")));
  CHECK(error({"--format", "yaml"}).first == 2);
  CHECK(error({"--definition", "x", "--op-type", "y"}).first == 2);
  CHECK(run_fib({"report", "best", "--local", "sample", "--axes", "M"}, datasets.folder()).exit_code == 2);
  CHECK(run_fib({"report"}, datasets.folder()).exit_code == 2);
}

TEST_CASE("hardware without results is no error, and reports say which there are") {
  const Datasets datasets;
  for (const std::string report : {"summary", "best", "rank", "fast-p", "sol"}) {
    CAPTURE(report);
    const auto output =
        run_fib({"report", report, "--local", "sample", "--hardware", "TPU"}, datasets.folder());
    CHECK(output.exit_code == 0);
    CHECK_THAT(output.err,
               Catch::Contains("warning: no results of hardware \"TPU\"; there are: AMD EPYC 9555 "
                               "64-Core Processor, NVIDIA H200\n"));
  }
}

TEST_CASE("exports and pictures warn of hardware without results, too") {
  const Datasets datasets;
  for (const Words& command : {Words{"export", "--format", "junit"}, Words{"visualize", "--html", "-"}}) {
    CAPTURE(command.front());
    const auto warning = [&](const char* hardware) {
      Words words = command;
      words.insert(words.end(), {"--local", "sample", "--hardware", hardware});
      const auto output = run_fib(words, datasets.folder());
      CHECK(output.exit_code == 0);
      return output.err;
    };
    CHECK_THAT(warning("TPU"), Catch::Contains("warning: no results of hardware \"TPU\" in sample\n"));
    CHECK_THAT(warning("AMD*"), !Catch::Contains("no results"));
  }
}

TEST_CASE("help ends with examples") {
  const Datasets datasets;
  for (const Words& words :
       {Words{"report", "summary"}, Words{"report", "best"}, Words{"report"}, Words{"list"}}) {
    Words help = words;
    help.emplace_back("--help");
    const auto output = run_fib(help, datasets.folder());
    CHECK(output.exit_code == 0);
    CHECK_THAT(output.out, Catch::Contains("Examples:\n  fib " + words.front()));
  }
}

TEST_CASE("cli: reports of very many kinds of hardware show some of them, and say so") {
  const Datasets datasets;
  datasets.write("many/definitions/d.json", definition_text("d"));
  datasets.write("many/solutions/s.json", solution_text("s", "amy", "cpp"));
  std::string text;
  for (int i = 100; i < 170; ++i)
    text += SampleTrace{.definition = "d", .solution = "s", .hardware = "H" + std::to_string(i)}.line();
  datasets.write("many/traces/t.jsonl", text);
  const std::string warning =
      "Of 70 kinds of hardware the 64 with the most traces are shown; --hardware NAME shows others\n";
  for (const Words& command : std::vector<Words>{{"report", "rank"},
                                                 {"report", "summary"},
                                                 {"report", "fast-p"},
                                                 {"report", "best"},
                                                 {"visualize"}}) {
    Words words = command;
    words.insert(words.end(), {"--local", "many"});
    const CommandOutput output = run_fib(words, datasets.folder());
    CHECK(output.exit_code == 0);
    CHECK(output.err == "warning: many: " + warning);
    CHECK(output.out.find("H163") != std::string::npos);
    CHECK(output.out.find("H164") == std::string::npos);
    words.insert(words.end(), {"--hardware", "H169"});
    const CommandOutput named = run_fib(words, datasets.folder());
    CHECK(named.err == "");
    CHECK(named.out.find("H169") != std::string::npos);
  }
  const Json summary = [&] {
    const auto output =
        run_fib({"report", "summary", "--local", "many", "--format", "json"}, datasets.folder());
    return Json::parse(output.out);
  }();
  CHECK(summary["datasets"][0]["hardware"].size() == 64);
  const CommandOutput unknown =
      run_fib({"report", "rank", "--local", "many", "--hardware", "H9"}, datasets.folder());
  CHECK(unknown.exit_code == 0);
  CHECK(unknown.err.find("there are: H100, H101") != std::string::npos);
  CHECK(unknown.err.find(" and 40 more") != std::string::npos);
}
