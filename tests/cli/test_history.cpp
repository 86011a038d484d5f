#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "report/history_dataset.h"
#include "util/files.h"

// What `fib history` prints, byte by byte; tests/cli/test_run_sweep.cpp has it read what `fib run` wrote.
using namespace fib;
using testing::check_golden;
using testing::run_fib;
using Words = std::vector<std::string>;

namespace {

// The datasets "sample" and "empty" below one folder, so that the paths in the output are always the same.
class Datasets {
 public:
  Datasets() {
    testing::write_history(sample_);
    std::filesystem::rename(sample_.root(), folder() / "sample");
    files_.write("empty/definitions/d.json", testing::definition_text("d"));
  }
  [[nodiscard]] std::filesystem::path folder() const { return files_.root(); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return files_.write(name, text);
  }
  [[nodiscard]] testing::CommandOutput history(Words words, const std::string& columns = "120") const {
    words.insert(words.begin(), "history");
    return run_fib(words, folder(), {{"COLUMNS", columns}});
  }

 private:
  testing::TemporaryDataset files_;
  testing::TemporaryDataset sample_;
};

void check(const testing::CommandOutput& output, const std::string& golden) {
  CHECK(output.err == "");
  CHECK(output.exit_code == 0);
  check_golden(golden, output.out);
}

}  // namespace

TEST_CASE("the history is printed in all formats") {
  const Datasets datasets;
  check(datasets.history({"--local", "sample"}), "history.txt");
  check(datasets.history({"--local", "sample"}, "80"), "history_80.txt");
  check(datasets.history({"--local", "sample", "--format", "md"}), "history.md");
  check(datasets.history({"--local", "sample", "--format", "json"}), "history.json");
  check(datasets.history({"--local", "sample", "--format", "csv"}), "history.csv");
  check(datasets.history({"--local", "sample", "--local", "empty"}), "history_two.txt");
}

TEST_CASE("one run is printed in all formats") {
  const Datasets datasets;
  const auto run = [&](const Words& more) {
    Words words = {"20260317", "--local", "sample"};
    words.insert(words.end(), more.begin(), more.end());
    return datasets.history(words);
  };
  check(run({}), "history_run.txt");
  check(run({"--format", "md"}), "history_run.md");
  check(run({"--format", "json", "--show-seed"}), "history_run.json");
  check(run({"--format", "csv"}), "history_run.csv");
  check(datasets.history({"last", "--local", "sample"}), "history_run_killed.txt");
}

TEST_CASE("runs of a tag are listed alone") {
  const Datasets datasets;
  const auto file = datasets.folder() / "sample/runs/runs.jsonl";
  std::string records = util::read_file(file);
  const std::string seed = R"("seed":"the secret")";
  records.insert(records.find(seed), R"("tags":{"branch":"main","ticket":"42"},)");
  util::write_file_atomic(file, records);
  const auto ids = [&](const Words& tags) {
    Words words{"--local", "sample", "--format", "json"};
    words.insert(words.end(), tags.begin(), tags.end());
    const auto output = datasets.history(words);
    CHECK(output.exit_code == 0);
    const auto report = nlohmann::json::parse(output.out);
    Words found;
    for (const auto& run : report.at("datasets").at(0).at("runs")) found.push_back(run.at("run_id"));
    return found;
  };
  CHECK(ids({}).size() == 3);
  CHECK(ids({"--tag", "branch=main"}) == Words{testing::kSweptRun});
  CHECK(ids({"--tag", "branch", "--tag", "ticket=42"}) == Words{testing::kSweptRun});
  const auto none = datasets.history({"--local", "sample", "--tag", "branch=other", "--tag", "ticket"});
  CHECK(none.exit_code == 1);
  CHECK(none.err == "fib: no run has the tag branch=other and ticket\n");
}

TEST_CASE("without runs the history says how to make one") {
  const Datasets datasets;
  const auto output = datasets.history({"--local", "empty"});
  CHECK(output.out == "No runs in empty. To make one: fib run --local empty\n");
  CHECK(output.err == "");
  CHECK(output.exit_code == 0);
  CHECK(datasets.history({"--local", "empty", "--format", "csv"}).exit_code == 0);
  const auto last = datasets.history({"last", "--local", "empty"});
  CHECK(last.exit_code == 1);
  CHECK(last.err == "fib: there are no runs yet; to make one: fib run\n");
}

TEST_CASE("runs and datasets that are not there are one sentence; wrong words are wrong usage") {
  const Datasets datasets;
  const auto output = datasets.history({"2025", "--local", "sample"});
  CHECK(output.exit_code == 1);
  CHECK(output.out == "");
  CHECK(output.err ==
        "fib: \"2025\" is no baseline, and no run's id begins so; to see all runs: fib history --local "
        "sample\n");
  CHECK(datasets.history({"--local", "nowhere"}).err ==
        "fib: there is no dataset folder nowhere; name one with --local DIR or with FIB_DATASET_PATH\n");
  CHECK(datasets.history({"--local", "sample", "--format", "yaml"}).exit_code == 2);
  CHECK(datasets.history({"one", "two", "--local", "sample"}).exit_code == 2);
}

TEST_CASE("bad lines of runs and traces are named and cost themselves, unless --strict-load") {
  const Datasets datasets;
  datasets.write("empty/runs/runs.jsonl", "{\"run_id\":\"1\"}\nnonsense\n");
  datasets.write("empty/traces/t.jsonl", "{\"definition\":\"d\",\"workload\":{},\"solution\":\"s\"}\n");
  const auto output = datasets.history({"--local", "empty", "--format", "csv"});
  CHECK(output.exit_code == 0);
  CHECK_THAT(output.err, Catch::Contains("error: empty/traces/t.jsonl:1: "));
  CHECK_THAT(output.err, Catch::Contains("error: empty/runs/runs.jsonl:2: "));
  CHECK_THAT(output.out, Catch::Contains("empty,,1,"));
  const auto strict = datasets.history({"--local", "empty", "--strict-load"});
  CHECK(strict.exit_code == 1);
  CHECK(strict.out == "");
  CHECK_THAT(strict.err, Catch::Contains("runs.jsonl:2: "));
}
