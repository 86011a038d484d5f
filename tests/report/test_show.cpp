#include <catch2/catch.hpp>

#include "dataset/trace_stream.h"
#include "report/details.h"
#include "report/show.h"
#include "report/show_dataset.h"
#include "report/show_text.h"
#include "util/error.h"

using namespace fib;
using Catch::Matchers::Contains;
using testing::kFirstUuid;
using testing::kSecondUuid;
using testing::kThirdUuid;

namespace {

struct Sample {
  testing::TemporaryDataset files;
  std::vector<std::string> unreadable;
  dataset::Dataset catalog;
  dataset::Filter filter;

  Sample() {
    testing::write_show_sample(files);
    catalog = dataset::load_without_results(files.root(), unreadable);
  }
  auto workload(const std::string& uuid) { return report::show_workload(catalog, uuid, filter, unreadable); }
  auto solution(const std::string& name) { return report::show_solution(catalog, name, filter, unreadable); }
  auto trace(const std::string& name, const std::string& uuid) {
    std::vector<std::string> tried;
    return report::show_trace(catalog, name, uuid, filter, unreadable, tried);
  }
};

}  // namespace

TEST_CASE("a definition's solutions are counted by the latest trace of each workload and hardware") {
  Sample sample;
  const auto view = report::show_definition(sample.catalog, "scale", sample.filter, sample.unreadable);
  REQUIRE(view);
  CHECK(view->workloads == 2);
  CHECK(view->untried == std::vector<std::string>{"idle_scale"});
  REQUIRE(view->tallies.size() == 4);
  CHECK(view->tallies[0].solution == "lost_scale");
  CHECK_FALSE(view->tallies[0].author);
  CHECK(view->tallies[0].mean_ms == Approx(1));
  CHECK(view->tallies[1].solution == "fast_scale");
  CHECK(view->tallies[1].passed == 1);
  CHECK(view->tallies[1].failed == 1);
  CHECK(view->tallies[1].best_ms == 2.0);  // the later run, not the first in the file
  CHECK(view->tallies[2].failed == 1);
  CHECK(view->tallies[3].hardware == "NVIDIA L4");
  CHECK_FALSE(report::show_definition(sample.catalog, "scal", sample.filter, sample.unreadable));
  CHECK(sample.unreadable.empty());
}

TEST_CASE("filters hold for what belongs to a definition or workload") {
  Sample sample;
  sample.filter.solutions = {"lost_scale"};
  const auto view = report::show_definition(sample.catalog, "scale", sample.filter, sample.unreadable);
  REQUIRE(view);
  REQUIRE(view->tallies.size() == 1);
  CHECK(view->tallies[0].solution == "lost_scale");
  CHECK(view->untried.empty());  // others are not asked for
  sample.filter.solutions = {"fast_*"};
  const auto workload = sample.workload(kFirstUuid);
  for (const auto& shown : workload->results) CHECK(shown.trace.solution == "fast_scale");
}

TEST_CASE("a solution's results are the latest ones, with the logs of failures") {
  Sample sample;
  const auto view = sample.solution("fast_scale");
  REQUIRE(view);
  REQUIRE(view->results.size() == 3);
  CHECK(view->results[0].trace.evaluation->timestamp.starts_with("2026-03-02"));
  CHECK(view->results[0].trace.evaluation->log.empty());
  CHECK(view->results[1].trace.evaluation->log.ends_with("line 30"));
  CHECK(view->results[2].trace.evaluation->environment.hardware == "NVIDIA L4");
  sample.filter.hardware = {"*L4"};
  CHECK(sample.solution("fast_scale")->results.size() == 1);
  CHECK_FALSE(sample.solution("lost_scale"));
}

TEST_CASE("a workload is found by its uuid or four characters that only it begins with") {
  Sample sample;
  CHECK(sample.workload(kFirstUuid)->workload.uuid == kFirstUuid);
  CHECK(sample.workload("33bf9")->workload.uuid == kSecondUuid);
  CHECK(sample.workload("7777")->workload.uuid == kThirdUuid);  // of a trace only
  CHECK_FALSE(sample.workload("4444"));
  CHECK_THROWS_WITH(sample.workload("33bf"),
                    Contains("2 workloads") && Contains(kFirstUuid) && Contains(kSecondUuid));
  CHECK_THROWS_WITH(sample.workload("777"), Contains("at least 4 characters"));
  sample.filter.definitions = {"other"};
  CHECK_FALSE(sample.workload(kFirstUuid));
}

TEST_CASE("a whole uuid means nothing longer that begins with it, however short it is") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  files.write("workloads/d.jsonl", testing::workload_line("w1") + "\n" + testing::workload_line("w10") +
                                       "\n" + testing::workload_line("w1000") + "\n");
  std::vector<std::string> unreadable;
  const auto catalog = dataset::load_without_results(files.root(), unreadable);
  CHECK(report::show_workload(catalog, "w1", {}, unreadable)->workload.uuid == "w1");
  CHECK(report::show_workload(catalog, "w100", {}, unreadable)->workload.uuid == "w1000");
}

TEST_CASE("on a workload the fastest solution of each hardware comes first, failures last") {
  Sample sample;
  std::vector<std::string> names;
  const auto view = sample.workload(kFirstUuid);
  for (const auto& shown : view->results) names.push_back(*shown.trace.solution);
  CHECK(names == std::vector<std::string>{"lost_scale", "fast_scale", "slow_scale", "fast_scale"});
}

TEST_CASE("all traces of a pair are there, oldest first, with their logs") {
  Sample sample;
  const auto view = sample.trace("fast_scale", "33bf7");
  REQUIRE(view);
  REQUIRE(view->traces.size() == 3);
  CHECK(view->traces[0].evaluation->log == "first");
  CHECK(view->traces[2].evaluation->performance->latency_ms == 2);
  CHECK(sample.trace("lost_scale", kThirdUuid));
  CHECK_FALSE(sample.trace("lost_scale", kSecondUuid));
  CHECK_THROWS_AS(sample.trace("fast_scale", "33bf"), Error);
  std::vector<std::string> tried;
  CHECK_FALSE(report::show_trace(sample.catalog, "fast_scale", "x", {}, sample.unreadable, tried));
  CHECK(tried == std::vector<std::string>{kFirstUuid, kSecondUuid});
}

TEST_CASE("an interval is told only where it is one") {
  model::Evaluation evaluation;
  CHECK_FALSE(report::interval_share(evaluation));
  evaluation.performance.emplace().latency_ms = 2;
  evaluation.fib["interval"] = {{"low_ms", 1.75}, {"high_ms", 2.25}};
  CHECK(report::interval_share(evaluation) == 0.125);
  evaluation.performance->latency_ms = 0;
  CHECK_FALSE(report::interval_share(evaluation));
  evaluation.performance->latency_ms = 2;
  evaluation.fib["interval"] = {{"low_ms", 0}, {"high_ms", 6}};
  CHECK(report::interval_share(evaluation) == 2);
  evaluation.fib["interval"] = {{"low_ms", 1.75}, {"high_ms", "2.25"}};
  CHECK_FALSE(report::interval_share(evaluation));
  evaluation.fib["interval"] = {{"low_ms", 2.25}, {"high_ms", 1.75}};  // below the latency

  CHECK_FALSE(report::interval_share(evaluation));
  evaluation.fib["interval"] = 3;
  CHECK_FALSE(report::interval_share(evaluation));
}

TEST_CASE("sources are coloured where escape codes may be written, and hold no others") {
  Sample sample;
  const auto view = sample.solution("fast_scale");
  report::ShowStyle style;
  style.text.bold = true;
  const std::string text = report::render_show(std::vector{*view}, style);
  CHECK_THAT(text, Contains("\x1b[36m__global__\x1b[0m \x1b[36mvoid\x1b[0m scale"));
  CHECK_THAT(text, Contains("\x1b[90m// ?[31mred?\x1b[0m"));
  CHECK(text.find("\x1b[31m") == std::string::npos);
  CHECK(report::render_show(std::vector{*view}, {}).find('\x1b') == std::string::npos);
}

TEST_CASE("of a long log the end is shown unless all of it is asked for") {
  Sample sample;
  const std::vector views{*sample.solution("fast_scale")};
  const std::string text = report::render_show(views, {});
  CHECK_THAT(text, Contains("RUNTIME_ERROR, the last 20 of 30 lines (all: --full-log)\n  line 11\n"));
  CHECK_THAT(text, !Contains("line 10\n"));
  report::ShowStyle whole;
  whole.full_log = true;
  CHECK_THAT(report::render_show(views, whole), Contains("RUNTIME_ERROR\n  line 1\n"));
  // Of a compiler's the beginning, where the first error is.
  auto broken = views;
  for (auto& shown : broken[0].results) {
    auto& evaluation = *shown.trace.evaluation;
    if (evaluation.status == model::Status::RUNTIME_ERROR) evaluation.status = model::Status::COMPILE_ERROR;
  }
  const std::string of_compiler = report::render_show(broken, {});
  CHECK_THAT(of_compiler, Contains("COMPILE_ERROR, the first 20 of 30 lines (all: --full-log)\n  line 1\n"));
  CHECK_THAT(of_compiler, !Contains("line 21\n"));
}

TEST_CASE("a solution's kernels are named with what they take, where a result tells of any") {
  Sample sample;
  auto view = *sample.solution("fast_scale");
  CHECK_THAT(report::render_show(std::vector{view}, {}), !Contains("kernel "));
  auto& evaluation = *view.results.back().trace.evaluation;
  evaluation.fib["resources"] = nlohmann::ordered_json::array(
      {{{"name", "scale\x1b[31m"}, {"share", 1}, {"block", {64, 1, 1}}, {"registers", 20}}});
  const std::string text = report::render_show(std::vector{view}, {});
  CHECK_THAT(text, Contains("Kernels on ") && Contains(": 100% of the time, 64 threads, 20 registers"));
  CHECK(text.find('\x1b') == std::string::npos);
}
