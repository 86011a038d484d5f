#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <ctime>
#include <nlohmann/json.hpp>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "cli/run_support.h"
#include "model/shared_data.h"
#include "support/temporary.h"
#include "validate/support.h"

using namespace fib;
using testing::blob_input;
using testing::check_golden;
using testing::Checked;
using testing::CommandOutput;
using testing::record;
using testing::run_fib;
using testing::workload_json;
using Words = std::vector<std::string>;

namespace {

CommandOutput validate_in(const Checked& files, const Words& more) {
  Words words{"validate", "--local", "."};
  words.insert(words.end(), more.begin(), more.end());
  return run_fib(words, files.files.root());
}

// One workload, a baseline that passed it, nothing missing.
struct CompleteDataset : Checked {
  CompleteDataset() {
    workloads(record(workload_json("w")));
    solution("baseline", "b");
    traces("baseline", record(workload_json("w"), "b", testing::passed()));
  }
};

testing::Json definition_with_constraint() {
  testing::Json definition = testing::definition_json();
  definition["constraints"] = {"M == 2 * N"};
  return definition;
}

// A uuid twice, a blob that is missing, an orphan, a constraint that does not hold.
struct BrokenDataset : Checked {
  BrokenDataset() : Checked(definition_with_constraint()) {
    workloads(record(workload_json("w")) + record(workload_json("w", blob_input("blob/a.safetensors"))));
    files.write("traces/old.jsonl", "");
  }
};

void check_output(const CommandOutput& output, int exit_code, const std::string& golden) {
  CHECK(output.err == "");
  CHECK(output.exit_code == exit_code);
  check_golden(golden, output.out);
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  if (!std::filesystem::exists(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("validate of a complete dataset exits with 0") {
  check_output(validate_in(CompleteDataset(), {}), 0, "validate_ok.txt");
  check_output(validate_in(CompleteDataset(), {"--verbose"}), 0, "validate_ok_verbose.txt");
  CHECK(validate_in(CompleteDataset(), {"--strict"}).exit_code == 0);
}

TEST_CASE("validate --fix writes a repaired copy and validates it; what cannot be kept is exit code 3") {
  CompleteDataset dataset;
  const auto& files = dataset.files;
  const std::filesystem::path moved = files.root() / "definitions/here.json";
  std::filesystem::rename(files.root() / "definitions" / "op" / "d.json", moved);
  const auto fixed = files.root().string() + "-fixed";
  const auto output = validate_in(dataset, {"--fix", fixed});
  CHECK(output.err == "repaired: definitions/here.json: moved to definitions/op/d.json\n");
  CHECK(output.exit_code == 0);
  CHECK(std::filesystem::exists(moved));
  CHECK(std::filesystem::exists(fixed + "/definitions/op/d.json"));
  CHECK(validate_in(dataset, {"--fix", fixed}).exit_code == 1);  // it is there already
  std::filesystem::remove_all(fixed);

  files.write("workloads/op/torn.jsonl", "{\"definition");
  const auto lossy = validate_in(dataset, {"--fix", fixed});
  CHECK_THAT(lossy.err, Catch::Contains("left out: ") && Catch::Contains("torn.jsonl:1: torn record"));
  CHECK(lossy.exit_code == 3);
  std::filesystem::remove_all(fixed);
}

TEST_CASE("validate of a broken dataset exits with 3, in every format") {
  const BrokenDataset files;
  check_output(validate_in(files, {"--verbose"}), 3, "validate_broken_verbose.txt");
  for (const std::string format : {"table", "json", "github", "junit"}) {
    check_output(validate_in(files, {"--format", format}), 3, "validate_broken." + format);
  }
}

TEST_CASE("validate --device builds and runs the baselines, and leaves no trace") {
  testing::FibRun run;
  run.dataset.add_definition({100, 1000})
      .solution("right", "baseline", testing::kHonest)
      .solution("broken", "baseline", "no code")
      .solution("wrong", "alice", "no code");
  const auto validated = [&](const Words& more) {
    Words words{testing::fib_binary(), "validate", "--local", run.dataset.root(), "--checks",
                "benchmark",           "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return testing::run_process(words, run.environment());
  };
  const auto output = validated({});
  CHECK(output.exit_code == 3);
  CHECK_THAT(output.out, Catch::Contains("- right: PASS") && Catch::Contains("- reference: PASS") &&
                             Catch::Contains("- broken: workload w100: COMPILE_ERROR: ") &&
                             !Catch::Contains("wrong"));
  CHECK(testing::read_traces(run.dataset.root()).empty());
  CHECK(run.processes().empty());
  std::filesystem::remove_all(run.dataset.root() / "solutions/baseline/test/add/broken.json");
  CHECK(validated({"--strict"}).exit_code == 0);
  CHECK(validated({"--disable-gpu"}).exit_code == 2);
}

TEST_CASE("warnings fail under --strict only") {
  const Checked files;
  CHECK(validate_in(files, {}).exit_code == 0);
  CHECK(validate_in(files, {"--strict"}).exit_code == 3);
  CHECK(validate_in(files, {"--strict", "--checks", "layout,solution"}).exit_code == 0);
}

TEST_CASE("upstream mode notes on stderr what was not run, unless it was not wanted") {
  const CompleteDataset files;
  const auto output = validate_in(files, {"--mode", "upstream"});
  CHECK_THAT(output.err, Catch::StartsWith("note: the benchmark check was skipped"));
  CHECK(output.exit_code == 0);
  check_output(validate_in(files, {"--mode", "upstream", "--disable-gpu"}), 0, "validate_upstream.txt");
}

TEST_CASE("report files go to the dataset or to a folder, and are what stdout shows") {
  const CompleteDataset files;
  CHECK(validate_in(files, {}).exit_code == 0);
  CHECK(names_in(files.files.root() / "reports").empty());
  const auto output = validate_in(files, {"--outputs", "json,text"});
  CHECK(output.out == "");
  CHECK(output.exit_code == 0);
  const auto names = names_in(files.files.root() / "reports");
  REQUIRE(names.size() == 2);
  CHECK(names[0].size() == std::string("report-20260317-141819.json").size());
  CHECK_THAT(names[0], Catch::StartsWith("report-") && Catch::EndsWith(".json"));
  CHECK_THAT(names[1], Catch::EndsWith(".txt"));
  const auto table = validate_in(files, {"--output-folder", "out", "--verbose"});
  const auto written = names_in(files.files.root() / "out");
  REQUIRE(written.size() == 2);
  CHECK(util::read_file(files.files.root() / "out" / written[1]) == table.out);
  CHECK(nlohmann::json::parse(
            util::read_file(files.files.root() / "out" / written[0]))["config"]["dataset"] == ".");
}

TEST_CASE("a report file that is there already is kept") {
  const CompleteDataset files;
  const std::time_t now = std::time(nullptr);
  for (std::time_t second = now; second < now + 30; ++second) {
    std::tm utc{};
    ::gmtime_r(&second, &utc);
    std::array<char, 64> name{};
    REQUIRE(std::strftime(name.data(), name.size(), "reports/report-%Y%m%d-%H%M%S.json", &utc) > 0);
    files.files.write(name.data(), "old");
  }
  const auto output = validate_in(files, {"--outputs", "stdout,json"});
  CHECK(output.exit_code == 1);
  CHECK(output.out == "");
  CHECK_THAT(output.err, Catch::StartsWith("fib: report file already exists: ./reports/report-"));
}

TEST_CASE("a dataset that cannot be read is exit code 1") {
  const auto output = run_fib({"validate", "--dataset", "nowhere"}, "/");
  CHECK(output.exit_code == 1);
  CHECK(output.out == "");
  CHECK(output.err ==
        "fib: there is no dataset folder nowhere; name one with --local DIR or with FIB_DATASET_PATH\n");
  CHECK(validate_in(Checked(), {"--definitions", "x"}).exit_code == 1);
}

TEST_CASE("wrong usage of validate is exit code 2") {
  for (const Words& words : {Words{"--checks", "foo"}, Words{"--checks", "blobs", "--mode", "upstream"},
                             Words{"--checks", "benchmark"}, Words{"--format", "yaml"},
                             Words{"--outputs", "html"}, Words{"--mode", "strict"}}) {
    const auto output = validate_in(Checked(), words);
    CHECK(output.exit_code == 2);
    CHECK(output.out == "");
    CHECK(output.err != "");
  }
}

TEST_CASE("validate --mode upstream writes the golden report, but for the texts of parse errors") {
  const auto data = testing::shared_data("golden");
  if (!data) return;
  const auto output =
      run_fib({"validate", "--dataset", "golden/validate_broken", "--mode", "upstream", "--disable-gpu"},
              data->parent_path());
  CHECK(output.err == "");
  CHECK(output.exit_code == 3);
  const auto lines = [](const std::string& text) {
    std::vector<std::string> kept;
    for (const std::string& line : testing::split(text, '\n')) {
      const bool own_words =
          line.find("parse error: ") != std::string::npos && line.find("duplicate") == std::string::npos;
      const bool detail = line.starts_with("  ") || line.starts_with("---") || line.empty();
      if (!own_words && detail && line.find("pydantic") == std::string::npos) kept.push_back(line);
    }
    return kept;
  };
  auto expected = lines(util::read_file(*data / "validate_broken.expected.txt"));
  // What else belongs to parse errors of several lines.
  std::erase_if(expected, [](const std::string& line) { return line.find("[type=") != std::string::npos; });
  CHECK(lines(output.out) == expected);
}

TEST_CASE("where there are no definitions nothing was checked, which is no success") {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "definitions");
  const auto empty = run_fib({"validate", "--local", "."}, folder.path());
  CHECK(empty.exit_code == 1);
  CHECK(empty.err == "error: . has no definitions to check\n");
}
