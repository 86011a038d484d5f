#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/report_datasets.h"
#include "model/shared_data.h"

// Every command that reads traces, in every form, on datasets of every kind.
using namespace fib;
using testing::run_fib;
using Words = std::vector<std::string>;

namespace {

struct Command {
  Words words;
  Words formats;
};

const Words kForms{"table", "json", "csv", "md"};

std::vector<Command> commands(const std::string& dataset) {
  return {{{"report", "summary", "--local", dataset}, kForms},
          {{"report", "summary", "--show", "counts", "--local", dataset}, kForms},
          {{"report", "best", "--local", dataset}, kForms},
          {{"report", "best", "--per-workload", "--local", dataset}, kForms},
          {{"report", "rank", "--local", dataset}, kForms},
          {{"report", "fast-p", "--local", dataset}, kForms},
          {{"report", "sol", "--local", dataset}, kForms},
          {{"report", "compare", dataset, dataset}, {"table", "json", "csv", "md", "github", "junit"}},
          {{"list", "traces", "--local", dataset}, kForms},
          {{"history", "--local", dataset}, kForms},
          {{"export", "--local", dataset},
           {"jsonl", "json", "csv", "md", "github", "junit", "job-summary", "github-action-benchmark",
            "bencher"}},
          {{"visualize", "--local", dataset}, {}},
          {{"visualize", "--history", "--local", dataset}, {}},
          {{"visualize", "--html", "-", "--local", dataset}, {}}};
}

enum class Warnings { none, some };

void check_form(const std::filesystem::path& folder, Words words, const std::string& format,
                Warnings warnings) {
  if (!format.empty()) words.insert(words.end(), {"--format", format});
  std::string line;
  for (const auto& word : words) line += word + " ";
  INFO(line);
  const auto output = run_fib(words, folder);
  CHECK(output.exit_code == 0);
  if (warnings == Warnings::none) CHECK(output.err == "");
  if (format == "json" || format == "github-action-benchmark" || format == "bencher")
    CHECK(!nlohmann::json::parse(output.out, nullptr, false).is_discarded());
  // An export of no traces is no line; everything else says something.
  if (format != "jsonl" && format != "md") CHECK(!output.out.empty());
  CHECK(output.out.find("\x1b") == std::string::npos);
}

void check_all(const std::filesystem::path& folder, const std::string& dataset,
               Warnings warnings = Warnings::none) {
  for (const Command& command : commands(dataset)) {
    if (command.formats.empty()) check_form(folder, command.words, "", warnings);
    for (const std::string& format : command.formats) check_form(folder, command.words, format, warnings);
  }
}

}  // namespace

TEST_CASE("every report has every form: empty, only failures, no baseline, two kinds of hardware") {
  const testing::ReportDatasets datasets;
  for (const char* name : {"empty", "failures", "runs", "sample"}) check_all(datasets.folder(), name);
}

TEST_CASE("every report has every form: ten thousand traces") {
  const testing::ReportDatasets datasets;
  std::ofstream traces(datasets.write("many/traces/t.jsonl", ""));
  datasets.write("many/definitions/op/d.json", testing::definition_text("d"));
  for (int solution = 0; solution < 20; ++solution) {
    const std::string name = "s" + std::to_string(solution);
    const std::string author = solution == 0 ? "baseline" : "author" + std::to_string(solution % 5);
    datasets.write("many/solutions/" + name + ".json",
                   testing::solution_text(name, author, "cuda", "NVIDIA"));
    for (int workload = 0; workload < 500; ++workload) {
      traces << testing::RunTrace{.run = testing::kRun1,
                                  .definition = "d",
                                  .solution = name,
                                  .uuid = "w" + std::to_string(workload),
                                  .m = 1 + workload,
                                  .median = 0.01 * (1 + workload) * (1 + 0.1 * solution),
                                  .status = workload % 97 == solution ? "TIMEOUT" : "PASSED"}
                    .line();
    }
  }
  traces.close();
  check_all(datasets.folder(), "many");
}

TEST_CASE("every report has every form: real traces of an A800") {
  const auto root = testing::shared_data("real/fib_a800");
  if (!root) return;
  // Their definitions are not among them: warnings say so.
  check_all(std::filesystem::current_path(), root->string(), Warnings::some);
}
