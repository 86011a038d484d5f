#include <catch2/catch.hpp>

#include "report/best.h"
#include "report/sample_dataset.h"

using namespace fib;
using report::BestOf;
using testing::definition_text;
using testing::SampleTrace;
using testing::solution_text;
using testing::TemporaryDataset;

namespace {

dataset::Dataset load_traces(const std::vector<SampleTrace>& traces) {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("definitions/e.json", definition_text("e"));
  files.write("solutions/a.json", solution_text("a", "amy", "python"));
  std::string text;
  for (const auto& trace : traces) text += trace.line();
  files.write("traces/t.jsonl", text);
  return dataset::load(files.root());
}

std::vector<report::Best> find(const dataset::Dataset& loaded, const report::BestOptions& options) {
  return report::find_best(loaded, dataset::Queries(loaded), options);
}

}  // namespace

TEST_CASE("the best of a definition has the highest speedup factor; unknown solutions have no author") {
  const auto loaded = load_traces({{"d", "a", "w1", 1, 1, 2}, {"d", "x", "w2", 2, 5, 3}});
  const auto best = find(loaded, {});
  REQUIRE(best.size() == 1);
  CHECK(*best[0].trace->solution == "x");
  CHECK_FALSE(best[0].author);
  CHECK(find(loaded, {.axes = {{"M", 1}}})[0].author == "amy");
  CHECK(find(loaded, {.axes = {{"M", 7}}})[0].trace == nullptr);
}

TEST_CASE("errors are limited only when limits are given") {
  const auto loaded = load_traces({{"d", "a", "w1", 1, 1, 2, testing::kCpu, "PASSED", "0.5"}});
  CHECK(find(loaded, {})[0].trace != nullptr);
  CHECK(find(loaded, {.limits = dataset::ErrorLimits{}})[0].trace == nullptr);
  CHECK(find(loaded, {.limits = dataset::ErrorLimits{1, 0.1}, .best_of = BestOf::workload})[0].trace ==
        nullptr);
}

TEST_CASE("where the reference was not timed the lowest latency is best") {
  const auto loaded = load_traces({{"d", "a", "w1", 1, 3, 0}, {"d", "a", "w1", 1, 2, 0}});
  CHECK(find(loaded, {})[0].trace->evaluation->performance->latency_ms == 2);
}

TEST_CASE("each workload has a best of its own, ties by latency, in the order of sizes") {
  const auto loaded =
      load_traces({{"d", "a", "w1", 2, 1, 1}, {"d", "a", "w2", 1, 3, 2}, {"d", "x", "w2", 1, 2, 2}});
  const auto best = find(loaded, {.best_of = BestOf::workload});
  REQUIRE(best.size() == 2);
  CHECK(best[0].workload == "w2");
  CHECK(*best[0].trace->solution == "x");
  CHECK(best[1].workload == "w1");
}

TEST_CASE("who cannot be told apart from the best of a workload is named") {
  auto loaded =
      load_traces({{"d", "a", "w1", 1, 1, 9}, {"d", "x", "w1", 1, 1, 9}, {"d", "y", "w1", 1, 1, 9}});
  for (std::size_t i = 0; i < 3; ++i) {
    auto& evaluation = *loaded.traces[i].evaluation;
    evaluation.performance->latency_ms = i == 0 ? 1.0 : i == 1 ? 1.01 : 2.0;
    evaluation.interval = 0.02;
  }
  const auto best = find(loaded, {.selection = {.every_trace = false}, .best_of = BestOf::workload});
  REQUIRE(best.size() == 1);
  CHECK(*best[0].trace->solution == "a");
  CHECK(best[0].ties == std::vector<std::string>{"x"});
}

TEST_CASE("the best of a definition is told with its lead over the next that passed everything") {
  auto loaded =
      load_traces({{"d", "a", "w1", 1, 1, 9}, {"d", "x", "w1", 1, 1, 9}, {"d", "y", "w1", 1, 1, 9}});
  loaded.traces[0].evaluation->performance->latency_ms = 2;
  loaded.traces[1].evaluation->performance->latency_ms = 5;
  loaded.traces[2].evaluation->status = model::Status::INCORRECT_NUMERICAL;
  const auto best = find(loaded, {.selection = {.every_trace = false}});
  REQUIRE(best.size() == 1);
  REQUIRE(best[0].winner);
  CHECK(best[0].winner->result.solution == "a");
  CHECK(best[0].winner->second == "x");
  CHECK(best[0].winner->lead == 2.5);
  loaded.traces[1].evaluation->status = model::Status::TIMEOUT;
  const auto alone = find(loaded, {.selection = {.every_trace = false}});
  CHECK_FALSE(alone[0].winner->second);
  CHECK_FALSE(alone[0].winner->lead);
}

TEST_CASE("hardware is not mixed, and definitions without traces are told apart") {
  const auto loaded = load_traces({{"d", "a", "w1", 1, 1, 9, testing::kGpu}, {"d", "a", "w1", 1, 1, 2}});
  const auto best = find(loaded, {.selection = {.hardware = testing::kCpu}});
  REQUIRE(best.size() == 1);
  CHECK(best[0].trace->evaluation->performance->speedup_factor == 2);
  CHECK(report::untried_definitions(loaded, {}) == std::vector<std::string>{"e"});
  CHECK(report::untried_definitions(loaded, {.definition = "d"}).empty());
}
