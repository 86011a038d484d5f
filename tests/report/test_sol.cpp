#include <algorithm>
#include <catch2/catch.hpp>

#include "report/sample_dataset.h"
#include "report/sol.h"
#include "report/sol_tables.h"
#include "roofline/reached.h"

using namespace fib;
using report::Against;
using report::sol_report;
using testing::definition_text;
using testing::SampleTrace;
using testing::solution_text;
using testing::TemporaryDataset;

namespace {

// Every workload of M elements moves 8 M bytes. With 1 byte/ms, the bound of M = 1 is 8 ms.
constexpr double kBytesPerSecond = 1000;

dataset::Dataset load_traces(const std::vector<SampleTrace>& traces, const std::string& baselines = "base") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("solutions/a.json", solution_text("a", "amy", "python"));
  files.write("solutions/base.json", solution_text("base", "baseline", "cpp", "cpu"));
  if (baselines != "base") files.write("solutions/b2.json", solution_text("b2", "baseline", "cpp", "cpu"));
  std::string text;
  for (const auto& trace : traces) text += trace.line();
  files.write("traces/t.jsonl", text);
  return dataset::load(files.root());
}

report::HardwareSol ask(const dataset::Dataset& loaded, dataset::Filter filter = {}) {
  const auto report = sol_report(loaded, {std::move(filter), "baseline", kBytesPerSecond, std::nullopt});
  REQUIRE(report.hardware.size() == 1);
  return report.hardware[0];
}

}  // namespace

TEST_CASE("a solution is scored between the bound and the baseline of its workload") {
  const auto loaded = load_traces({{"d", "base", "w1", 1, 24, 0}, {"d", "a", "w1", 1, 16, 0}});
  const auto hardware = ask(loaded);
  REQUIRE(hardware.workloads.size() == 1);
  const auto& workload = hardware.workloads[0];
  CHECK(workload.bound->ms == Approx(8));
  REQUIRE(workload.points.size() == 2);
  CHECK(workload.points[0].solution == "a");
  CHECK(workload.points[0].author == "amy");
  CHECK(workload.points[0].share == Approx(0.5));
  CHECK(workload.points[0].baseline_ms == 24.0);
  CHECK(workload.points[0].score == Approx(1 / 1.5));
  CHECK(workload.points[1].score == Approx(0.5));
}

TEST_CASE("without a baseline the reference beside the trace counts, without both there is no score") {
  const auto loaded = load_traces({{"d", "a", "w1", 1, 16, 1.5}, {"d", "a", "w2", 1, 16, 0}});
  const auto hardware = ask(loaded);
  REQUIRE(hardware.workloads.size() == 2);
  CHECK(hardware.workloads[0].points[0].against == Against::reference);
  CHECK(hardware.workloads[0].points[0].score == Approx(1 / 1.5));
  CHECK(hardware.workloads[1].points[0].share == Approx(0.5));
  CHECK_FALSE(hardware.workloads[1].points[0].score);
  REQUIRE(hardware.solutions.size() == 1);
  CHECK(hardware.solutions[0].mean_score == Approx(1 / 1.5));
}

TEST_CASE("of several baseline solutions none counts unless only one can run there") {
  const std::vector<SampleTrace> traces{{"d", "base", "w1", 1, 24, 0}, {"d", "a", "w1", 1, 16, 0}};
  CHECK_FALSE(ask(load_traces(traces, "two")).workloads[0].points[0].score);
  std::vector<SampleTrace> gpu = traces;
  for (auto& trace : gpu) trace.hardware = testing::kGpu;
  CHECK(ask(load_traces(gpu)).workloads[0].points[0].score);
}

TEST_CASE("failures count 0 in the means of a solution, and take it out of the ranking of the workload") {
  const auto loaded = load_traces({{"d", "base", "w1", 1, 24, 0},
                                   {"d", "a", "w1", 1, 16, 0},
                                   {.definition = "d", .solution = "a", .uuid = "w2", .status = "TIMEOUT"},
                                   {.definition = "d", .solution = "x", .uuid = "w2", .status = "TIMEOUT"},
                                   {"d", "a", "w2", 1, 9, 0}});
  const auto hardware = ask(loaded);
  CHECK(hardware.workloads[1].points.empty());
  CHECK(hardware.workloads[1].failed == std::vector<std::string>{"a", "x"});
  REQUIRE(hardware.solutions.size() == 3);
  CHECK(hardware.solutions[0].solution == "base");
  CHECK(hardware.solutions[1].solution == "a");
  CHECK(hardware.solutions[1].mean_score == Approx(1 / 3.0));
  CHECK(hardware.solutions[1].mean_share == Approx(0.25));
  CHECK(hardware.solutions[1].passed == 1);
  CHECK(hardware.solutions[1].workloads == 2);
  CHECK(hardware.solutions[2].mean_score == 0.0);
}

TEST_CASE("a time below the bound is told, and scores 1") {
  const auto loaded = load_traces({{"d", "base", "w1", 1, 24, 0}, {"d", "a", "w1", 1, 4, 0}});
  const auto point = ask(loaded).workloads[0].points[0];
  CHECK(point.share == Approx(2));
  CHECK(point.score == 1.0);
}

TEST_CASE("the fastest of repeated traces counts, hardware is not mixed, and filters keep the baseline") {
  auto loaded = load_traces({{"d", "base", "w1", 1, 24, 0},
                             {"d", "a", "w1", 1, 20, 0},
                             {"d", "a", "w1", 1, 16, 0},
                             {"d", "a", "w1", 1, 1, 0, testing::kGpu}});
  const auto all = sol_report(loaded, {{}, "baseline", kBytesPerSecond, std::nullopt});
  REQUIRE(all.hardware.size() == 2);
  CHECK(all.hardware[0].hardware == testing::kCpu);
  dataset::Filter filter;
  filter.hardware = {"AMD*"};
  filter.solutions = {"a"};
  const auto hardware = ask(loaded, filter);
  REQUIRE(hardware.workloads[0].points.size() == 1);
  CHECK(hardware.workloads[0].points[0].latency_ms == 16);
  CHECK(hardware.workloads[0].points[0].score == Approx(1 / 1.5));
}

TEST_CASE("unknown hardware has no bound until a peak is given, which also replaces a known one") {
  const auto loaded = load_traces({{"d", "a", "w1", 1, 1, 0}});
  const auto unknown = sol_report(loaded, {});
  CHECK_FALSE(unknown.hardware[0].peak);
  CHECK_FALSE(unknown.hardware[0].workloads[0].bound);
  const auto gpu = load_traces({{"d", "a", "w1", 1, 1, 0, testing::kGpu}});
  CHECK(sol_report(gpu, {}).hardware[0].peak->bytes_per_s == 4.8e12);
  const auto given = sol_report(gpu, {{}, "baseline", std::nullopt, 5e9});
  CHECK(given.hardware[0].peak->bytes_per_s == 4.8e12);
  CHECK(given.hardware[0].peak->fp8 == 5e9);
}

TEST_CASE("traces of unknown definitions and of workloads that do not fit are told") {
  auto trace = SampleTrace{"d", "a", "w1", 1, 1, 0};
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  std::string bad = trace.line();
  bad.replace(bad.find("{\"M\":1}"), 7, "{}");
  trace.definition = "e";
  files.write("traces/t.jsonl", bad + trace.line());
  const auto report = sol_report(dataset::load(files.root()), {});
  REQUIRE(report.hardware.size() == 1);
  CHECK(report.hardware[0].unknown == std::vector<std::string>{"e"});
  CHECK_FALSE(report.hardware[0].workloads[0].work);
  CHECK(report.hardware[0].workloads[0].reason.find("\"M\"") != std::string::npos);
}

TEST_CASE("intensity and what was achieved place a point in a chart") {
  const roofline::Work work{200, "", 1000, roofline::Arithmetic::fp32, ""};
  CHECK(roofline::intensity(work) == 5.0);
  CHECK(roofline::achieved_flops_per_s(work, 2) == 500000.0);
  CHECK(roofline::achieved_bytes_per_s(work, 2) == 100000);
  CHECK_FALSE(roofline::intensity({200, "", std::nullopt, roofline::Arithmetic::fp32, ""}));
}

TEST_CASE("a bound has three digits, however short it is") {
  model::Workload workload;
  workload.uuid = "w";
  report::HardwareSol hardware;
  for (const double ms : {0.00011016, 0.0123456}) {
    report::WorkloadSol one;
    one.definition = "d";
    one.workload = &workload;
    one.bound = roofline::Bound{ms, roofline::Binds::memory};
    hardware.workloads.push_back(one);
  }
  const auto table = report::workloads_table(hardware);
  const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                   [](const auto& one) { return one.key == "bound_ms"; }) -
                      table.columns.begin();
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0][static_cast<std::size_t>(column)].text == "0.000110");
  CHECK(table.rows[1][static_cast<std::size_t>(column)].text == "0.01235");
}
