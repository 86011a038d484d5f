#include <catch2/catch.hpp>

#include "dataset/named_runs.h"
#include "dataset/temporary_dataset.h"

using namespace fib;

namespace {

// Three runs, each of one trace.
struct Runs {
  testing::TemporaryDataset files;
  dataset::Dataset dataset;

  Runs() {
    std::string lines;
    for (const char* day : {"1", "2", "3"}) {
      lines +=
          R"({"definition":"d","workload":)" + testing::workload_text("w") +
          R"(,"solution":"s","evaluation":{"environment":{"hardware":"H"},"status":"TIMEOUT","timestamp":)" +
          R"("2026-01-0)" + day + R"(T00:00:00+00:00","fib":{"run_id":"2026010)" + day + R"(T-7"}}})" + "\n";
    }
    files.write("traces/t.jsonl", lines);
    dataset = dataset::load(files.root());
  }

  // What becomes of a filter that says this of runs.
  [[nodiscard]] dataset::Filter named(const std::string& run, std::vector<std::string> excluded) const {
    dataset::Filter filter;
    if (!run.empty()) filter.run = run;
    filter.excluded_runs = std::move(excluded);
    dataset::name_runs(filter, files.root(), dataset.traces);
    return filter;
  }
};

}  // namespace

TEST_CASE("runs are named by last, last~N and beginnings of ids wherever a filter takes them") {
  const Runs runs;
  CHECK(runs.named("last", {}).run == "20260103T-7");
  CHECK(runs.named("last~1", {}).run == "20260102T-7");
  CHECK(runs.named("20260101", {}).run == "20260101T-7");
  CHECK(runs.named("", {"last", "20260101"}).excluded_runs ==
        std::vector<std::string>{"20260103T-7", "20260101T-7"});
  CHECK(runs.named("", {"2026010[12]*"}).excluded_runs == std::vector<std::string>{"2026010[12]*"});
  CHECK_FALSE(runs.named("", {}).run);
}

TEST_CASE("a run that is not there is an error") {
  const Runs runs;
  CHECK_THROWS_WITH(runs.named("nope", {}), Catch::StartsWith("\"nope\" is no run of "));
  CHECK_THROWS_WITH(
      runs.named("", {"nope"}),
      Catch::StartsWith("no trace is of a run \"nope\"; to see all runs: fib history --local /"));
  CHECK_THROWS_WITH(runs.named("last~9", {}), "last~9: there are 3 runs only");
}
