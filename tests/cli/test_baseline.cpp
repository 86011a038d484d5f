#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "report/history_dataset.h"

// `fib baseline`, and the commands in which its names stand for runs.
using namespace fib;
using testing::check_golden;
using testing::run_fib;
using Words = std::vector<std::string>;

namespace {

constexpr const char* kEarly = "20260317T100000.000000Z-1";
constexpr const char* kLate = "20260318T100000.000000Z-2";

class Fixture {
 public:
  Fixture() {
    files_.write("data/definitions/op/d.json", testing::definition_text("d"));
    files_.write("data/solutions/alice/fast.json", testing::solution_text("fast", "alice", "cuda", "cuda"));
    files_.write("data/workloads/d.jsonl", testing::workload_line("w1") + "\n");
    std::string records;
    for (const char* run : {kEarly, kLate})
      records +=
          fmt::format(R"({{"run_id":"{}","hardware":"NVIDIA H200","finished":1,"passed":1}})", run) + "\n";
    files_.write("data/runs/runs.jsonl", records);
    files_.write("data/traces/d.jsonl", testing::run_trace(kEarly, "fast", 1.0, "00") +
                                            testing::run_trace(kLate, "fast", 2.0, "30"));
  }
  [[nodiscard]] testing::CommandOutput fib(Words words) const {
    words.insert(words.end(), {"--local", "data"});
    return run_fib(words, files_.root(), {{"COLUMNS", "120"}});
  }
  // What `words` print when all is well.
  [[nodiscard]] std::string printed(const Words& words) const {
    const auto output = fib(words);
    CHECK(output.err == "");
    CHECK(output.exit_code == 0);
    return output.out;
  }
  [[nodiscard]] std::filesystem::path root() const { return files_.root(); }

 private:
  testing::TemporaryDataset files_;
};

}  // namespace

TEST_CASE("a baseline is set, moved, listed and removed") {
  const Fixture fixture;
  CHECK(fixture.printed({"baseline", "list"}) ==
        "No baselines in data. To name the last run: fib baseline set NAME last --local data\n");
  CHECK(fixture.printed({"baseline", "set", "main", "last~1"}) ==
        "main is run " + std::string(kEarly) + ": 1 evaluation, 1 passed\n");
  CHECK(fixture.printed({"baseline", "set", "nightly", "main"}) ==
        "nightly is run " + std::string(kEarly) + ": 1 evaluation, 1 passed\n");
  CHECK(fixture.printed({"baseline", "set", "nightly", "20260318"}) ==
        "nightly is run " + std::string(kLate) + ": 1 evaluation, 1 passed\n");
  const std::string csv = fixture.printed({"baseline", "list", "--format", "csv"});
  CHECK_THAT(csv, Catch::Contains("data,main," + std::string(kEarly) + ",NVIDIA H200,,1,1,2"));
  CHECK_THAT(csv, Catch::Contains("data,nightly," + std::string(kLate) + ",NVIDIA H200,,1,1,2"));
  CHECK(fixture.printed({"baseline", "remove", "nightly"}) ==
        "nightly names no run any more; it was " + std::string(kLate) + "\n");
  CHECK_THAT(fixture.printed({"baseline", "list"}), !Catch::Contains("nightly"));
}

TEST_CASE("a baseline stands where a run is meant: compare, history, exports") {
  const Fixture fixture;
  (void)fixture.printed({"baseline", "set", "main", "last~1"});
  CHECK_THAT(fixture.printed({"report", "compare", "main", "last"}),
             Catch::Contains("run " + std::string(kEarly)) && Catch::Contains("+100.0%"));
  CHECK(fixture.printed({"report", "compare", "run:main", "last", "--format", "csv"}) ==
        fixture.printed({"report", "compare", "last~1", "last", "--format", "csv"}));
  CHECK_THAT(fixture.printed({"history"}), Catch::Contains("baseline main"));
  CHECK_THAT(fixture.printed({"history", "main"}), Catch::Contains(std::string(kEarly) + ", baseline main"));
  CHECK_THAT(fixture.printed({"history", "main", "--format", "json"}),
             Catch::Contains("\"baselines\": [\n          \"main\"\n        ]"));
  CHECK_THAT(fixture.printed({"export", "--format", "csv"}), Catch::Contains(",main,"));
}

TEST_CASE("names and runs that there are not are one sentence") {
  const Fixture fixture;
  const auto error = [&](const Words& words, int exit_code) {
    const auto output = fixture.fib(words);
    CHECK(output.out == "");
    CHECK(output.exit_code == exit_code);
    return output.err;
  };
  CHECK(
      error({"baseline", "set", "main", "2025"}, 1) ==
      "fib: \"2025\" is no baseline, and no run's id begins so; to see all runs: fib history --local data\n");
  CHECK_THAT(error({"baseline", "set", "last", "last"}, 1),
             Catch::Contains("\"last\" cannot name a baseline"));
  CHECK(error({"baseline", "remove", "main"}, 1) ==
        "fib: data has no baseline \"main\"; to see all: fib baseline list --local data\n");
  CHECK_THAT(
      error({"report", "compare", "main", "last"}, 1),
      Catch::Contains("\"main\" is no dataset folder, and no run, baseline, author or solution of data"));
  CHECK_THAT(run_fib({"baseline"}, fixture.root(), {}).err, Catch::Contains("subcommand is required"));
  CHECK_FALSE(std::filesystem::exists(fixture.root() / "data" / "runs" / "baselines.jsonl"));
}

TEST_CASE("who names a run that was killed is told") {
  const Fixture fixture;
  std::filesystem::remove(fixture.root() / "data/runs/runs.jsonl");
  const auto output = fixture.fib({"baseline", "set", "main", "last"});
  CHECK(output.exit_code == 0);
  CHECK(output.err ==
        "warning: run " + std::string(kLate) +
            " has no record (it was killed, still runs, or its record is lost), so that nobody knows what "
            "is missing: comparisons with it find nothing of that\n");
}
