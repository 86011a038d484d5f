#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/report_datasets.h"

using namespace fib;
using testing::run_fib;
using Words = std::vector<std::string>;

namespace {

const Words kForms = {"github", "junit", "job-summary", "github-action-benchmark", "bencher"};

// What a file of the form ends with.
std::string extension(const std::string& form) {
  if (form == "junit") return ".xml";
  if (form == "job-summary") return ".md";
  return form == "github" ? ".txt" : ".json";
}

std::string golden_name(const std::string& dataset, const std::string& form) {
  return fmt::format("ci_{}_{}{}", dataset, form, extension(form));
}

Words words_for(const std::string& dataset, const std::string& form) {
  return {"export", "--local", dataset, "--format", form};
}

}  // namespace

TEST_CASE("the forms for CI hold failures, rankings and measurements") {
  const testing::ReportDatasets datasets;
  for (const std::string& form : kForms) {
    for (const std::string dataset : {"runs", "sample"})
      datasets.check_run(words_for(dataset, form), golden_name(dataset, form));
  }
}

TEST_CASE("the forms for CI have a text for a dataset without results, and for one without measurements") {
  const testing::ReportDatasets datasets;
  for (const std::string& form : kForms) {
    for (const std::string dataset : {"empty", "failures"})
      datasets.check_run(words_for(dataset, form), golden_name(dataset, form));
  }
}

TEST_CASE("filters of export hold for the forms for CI") {
  const testing::ReportDatasets datasets;
  const auto output =
      run_fib({"export", "--local", "runs", "--format", "bencher", "--authors", "bob"}, datasets.folder());
  CHECK(output.exit_code == 0);
  const auto document = nlohmann::json::parse(output.out);
  REQUIRE(document.size() == 1);
  CHECK(document.begin().key() == "gemm_n128 / bob_gemm / M=1 (NVIDIA H200)");
  CHECK(document.begin().value()["latency"]["value"] == 2e6);
}

TEST_CASE("an export of one run holds its results alone, by whatever name the run has") {
  const testing::ReportDatasets datasets;
  datasets.record_runs();
  const auto lines = [&](const std::string& run) {
    const auto output = run_fib({"export", "--local", "runs", "--run", run}, datasets.folder());
    INFO(output.err);
    CHECK(output.exit_code == 0);
    CHECK(output.err.empty());
    return output.out;
  };
  const std::string last = lines("last");
  const std::string id =
      nlohmann::json::parse(last.substr(0, last.find('\n')))["evaluation"]["fib"]["run_id"];
  CHECK(lines(id) == last);
  CHECK(lines("last~1") != last);
  CHECK_THAT(lines("last~1"), !Catch::Contains(id));
  const auto rows = [&](const Words& more) {
    Words words = {"export", "--local", "runs", "--format", "junit"};
    words.insert(words.end(), more.begin(), more.end());
    return run_fib(words, datasets.folder()).out;
  };
  CHECK(rows({"--run", "last~1"}) != rows({}));
  CHECK(rows({"--run", "last~1"}) != rows({"--run", "last"}));
  const auto part =
      run_fib({"export", "--local", "runs", "--run", "last", "--format", "dataset", "--output", "part"},
              datasets.folder());
  CHECK(part.exit_code == 0);
  CHECK_THAT(part.err,
             Catch::StartsWith(fmt::format("{} trace", std::count(last.begin(), last.end(), '\n'))));
  const auto unknown = run_fib({"export", "--local", "runs", "--run", "nobody"}, datasets.folder());
  CHECK(unknown.exit_code == 1);
  CHECK(unknown.err == "fib: \"nobody\" is no run of runs; to see all runs: fib history --local runs\n");
}

TEST_CASE("a form for CI goes into a file, and stderr says how many results it has") {
  const testing::ReportDatasets datasets;
  const auto result = [&](const std::string& form) {
    auto words = words_for("runs", form);
    words.insert(words.end(), {"--output", "out/" + form});
    const auto output = run_fib(words, datasets.folder());
    CHECK(output.exit_code == 0);
    CHECK(output.out.empty());
    return output.err;
  };
  CHECK(result("junit") == "8 results exported to out/junit\n");
  CHECK(result("bencher") == "6 results exported to out/bencher\n");
  testing::check_golden("ci_runs_junit.xml", util::read_file(datasets.folder() / "out/junit"));
}

TEST_CASE("lines that cannot be read stop a form for CI as they stop the others") {
  const testing::ReportDatasets datasets;
  util::write_file_atomic(datasets.folder() / "runs/traces/torn.jsonl", "{\"definition\":");
  const Words words = {"export", "--local", "runs", "--format", "junit", "--output", "junit.xml"};
  const auto stopped = run_fib(words, datasets.folder());
  CHECK(stopped.exit_code == 1);
  CHECK_THAT(stopped.err, Catch::StartsWith("error: runs/traces/torn.jsonl:1: "));
  CHECK_FALSE(std::filesystem::exists(datasets.folder() / "junit.xml"));
  Words skipping = words;
  skipping.push_back("--skip-unreadable");
  CHECK(run_fib(skipping, datasets.folder()).exit_code == 0);
  testing::check_golden("ci_runs_junit.xml", util::read_file(datasets.folder() / "junit.xml"));
}

TEST_CASE("a form for CI on stdout says nothing of a dataset that cannot be read") {
  const testing::ReportDatasets datasets;
  util::write_file_atomic(datasets.folder() / "runs/traces/torn.jsonl", "{\"definition\":");
  const auto output = run_fib({"export", "--local", "runs", "--format", "github"}, datasets.folder());
  CHECK(output.exit_code == 1);
  CHECK(output.out == "");
}

TEST_CASE("an export of a run that was killed, or did not do all, says so") {
  const testing::ReportDatasets datasets;
  const auto exported = [&](const char* format) {
    return run_fib({"export", "--local", "runs", "--run", "last", "--format", format}, datasets.folder());
  };
  const std::string killed =
      "run " + std::string(testing::kRun2) + " has no record (it was killed, still runs";
  CHECK_THAT(exported("junit").out,
             Catch::Contains("<testsuite name=\"not done\"") && Catch::Contains(killed));
  CHECK_THAT(exported("github").out, Catch::Contains("::warning title=not done::" + killed));
  CHECK_THAT(exported("job-summary").out, Catch::Contains("has no record"));
  CHECK_THAT(exported("csv").err, Catch::StartsWith("warning: " + killed));
  datasets.record_runs(2);
  CHECK_THAT(exported("csv").err, Catch::StartsWith("warning: 2 evaluations of run " +
                                                    std::string(testing::kRun2) + " have no result\n"));
}
