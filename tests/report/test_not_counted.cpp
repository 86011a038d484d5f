#include <catch2/catch.hpp>

#include "report/not_counted.h"
#include "report/runs_dataset.h"
#include "report/show.h"

using namespace fib;

namespace {

// The solution s, of which the traces are of this source.
void write(const testing::TemporaryDataset& files, const std::string& source) {
  files.write("definitions/d.json", testing::definition_text("d"));
  files.write("solutions/s.json", testing::solution_text("s", "me", "cuda"));
  std::string line =
      testing::RunTrace{.run = testing::kRun1, .definition = "d", .solution = "s", .uuid = "w"}.line();
  if (!source.empty()) line.insert(line.find("\"config\""), R"("solution_sha256":")" + source + "\",");
  files.write("traces/t.jsonl", line);
}

std::string text_of(const testing::TemporaryDataset& files, const dataset::Filter& filter) {
  const auto data = dataset::load(files.root());
  const dataset::StandingResults standing(data, data.traces, filter);
  return report::not_counted_text(&standing);
}

}  // namespace

TEST_CASE("what does not count is told, and of a run that is named whose source has changed since") {
  const testing::TemporaryDataset files;
  write(files, "other");
  CHECK(text_of(files, {}) ==
        "1 trace does not count: 1 of other sources (all of s). --traces all counts every trace.");
  dataset::Filter filter;
  filter.run = testing::kRun1;
  CHECK(text_of(files, filter) == "The source of s has changed since that run.");
  CHECK(report::not_counted_text(nullptr).empty());
}

TEST_CASE("why a solution has no result is told only where it never had one") {
  const testing::TemporaryDataset files;
  write(files, "other");
  files.write("solutions/idle.json", testing::solution_text("idle", "me", "cuda"));
  files.write(
      "runs/runs.jsonl",
      std::string(R"({"run_id":")") + testing::kRun2 +
          R"(","skipped":[{"solution":"s","reason":"no nvcc"},{"solution":"idle","reason":"no nvcc"}]})" +
          "\n");
  std::vector<std::string> unreadable;
  const auto catalog = dataset::load_without_results(files.root(), unreadable);
  dataset::Filter filter;
  filter.statuses = {"TIMEOUT"};
  CHECK(report::show_solution(catalog, "idle", {}, unreadable)->skipped_why == "no nvcc");
  const auto tried = report::show_solution(catalog, "s", filter, unreadable);
  CHECK(tried->results.empty());
  CHECK(tried->skipped_why.empty());
}
