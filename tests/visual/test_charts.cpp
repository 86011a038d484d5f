#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "report/sample_dataset.h"
#include "visual/charts.h"
#include "visual/scenes.h"

using namespace fib;
using testing::RunsScene;

namespace {

const chart::Series& series_of(const chart::LineChart& chart, const std::string& name) {
  for (const auto& series : chart.series) {
    if (series.name == name) return series;
  }
  FAIL("no series " << name);
  throw;
}

// A hundred of them, of sizes from `first` on, behind those that have results. They must outlive
// `definition`.
std::vector<model::Workload> add_workloads(visual::DefinitionScene& definition, std::int64_t first) {
  std::vector<model::Workload> workloads(100);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    workloads[i].uuid = "many" + std::to_string(i);
    workloads[i].axes = {{"M", first + static_cast<std::int64_t>(i)}};
    definition.workloads.push_back(&workloads[i]);
  }
  return workloads;
}

// Of a history with one subject.
chart::LineChart chart_of(const report::DatasetHistory& history) {
  const auto subjects = visual::subjects_of(history);
  REQUIRE(subjects.size() == 1);
  return visual::history_chart(subjects.begin()->first, subjects.begin()->second,
                               visual::run_labels(history));
}

}  // namespace

TEST_CASE("a scene holds the latest result of each solution and workload") {
  const RunsScene runs;
  REQUIRE(runs.scene().hardware.size() == 1);
  CHECK(runs.gemm().results.size() == 8);
  CHECK(runs.gemm().workloads.size() == 4);
  CHECK(runs.gemm().solutions.size() == 3);
  const auto table = runs.gemm().by_solution();
  const auto* result = table.at("alice_fast").at("w2");
  REQUIRE(result != nullptr);
  CHECK(*result->run_id == testing::kRun2);
  CHECK(!table.at("bob_gemm").contains("w2"));
  CHECK(runs.scene().details.size() == 15);
}

TEST_CASE("a scene keeps what the filter holds, and says what is not there") {
  dataset::Filter filter;
  filter.solutions = {"bob_*"};
  const RunsScene bob(filter);
  CHECK(bob.gemm().results.size() == 1);
  filter.solutions = {"nobody"};
  CHECK_THROWS_WITH(RunsScene(filter), Catch::Contains("no solution is called \"nobody\""));
}

TEST_CASE("latencies stand over the size, failures are crosses") {
  const RunsScene runs;
  const auto chart = visual::latency_chart(runs.scene(), runs.gemm());
  CHECK(chart.x.title == "M");
  const auto& fast = series_of(chart, "alice_fast");
  REQUIRE(fast.points.size() == 4);
  CHECK(fast.points[1].x == 2);
  CHECK(*fast.points[1].y == Approx(0.9));
  CHECK(*fast.points[1].low == Approx(0.9 * 0.998));
  const auto& slow = series_of(chart, "alice_slow");
  REQUIRE(slow.points.size() == 3);
  CHECK(slow.points[0].failed);
  CHECK(!slow.points[1].failed);
}

TEST_CASE("fast_p, speedups and solutions hold the reports' numbers") {
  const RunsScene runs;
  const auto curve = visual::fast_p_chart(runs.gpu().problems);
  const auto& alice = series_of(curve, "alice");
  // Of four problems all are solved by the fast solution: 2x each.
  CHECK(*alice.points.front().y == 1);
  CHECK(alice.points.back().x == Approx(2));
  CHECK(*alice.points.back().y == 0);
  // Who is ahead at 1 comes first, in a colour that does not depend on that.
  CHECK(curve.series.front().name == "alice");
  CHECK(series_of(curve, "alice").colour == 0U);
  auto others = runs.gpu().problems;
  others.authors["zoe"] = others.authors.at("alice");
  others.authors.at("alice").clear();
  const auto ahead = visual::fast_p_chart(others);
  CHECK(ahead.series.front().name == "zoe");
  CHECK(ahead.series.front().colour == ahead.series.size() - 1);
  const auto samples = visual::fast_p_samples(runs.gpu().problems, 5);
  REQUIRE(samples.series.at(0).points.size() == 5);
  CHECK(samples.series[0].points.back().x == Approx(2));
  CHECK(*samples.series[0].points[3].y == 1);
  const auto boxes = visual::author_speedups_chart(runs.gpu());
  REQUIRE(boxes.boxes.size() == 2);
  CHECK(boxes.boxes[0].values->median == Approx(2));
  // In the order of the ranking, whatever the medians; who is not ranked comes last.
  visual::HardwareScene turned = runs.gpu();
  std::reverse(turned.summary.authors.rows.begin(), turned.summary.authors.rows.end());
  CHECK(visual::author_speedups_chart(turned).boxes[0].label == boxes.boxes[1].label);
  turned.summary.authors.rows.resize(1);
  CHECK(visual::author_speedups_chart(turned).boxes[1].label == boxes.boxes[0].label);
  const auto bars = visual::solutions_chart(runs.gpu().summary.leaderboards.at(0));
  REQUIRE(bars.bars.size() == 3);
  CHECK(*bars.bars[0].value == Approx(2));
  CHECK(bars.bars[2].tone == chart::Tone::bad);
  const auto matrix = visual::status_chart(runs.gemm());
  CHECK(matrix.columns == std::vector<std::string>{"w1 M=1", "w2 M=2", "w3 M=4", "w4 M=8"});
}

TEST_CASE("of very many solutions and workloads the chart of the status has some, and says so") {
  visual::DefinitionScene definition;
  std::vector<model::Workload> workloads(120);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    workloads[i].uuid = "w" + std::to_string(i);
    definition.workloads.push_back(&workloads[i]);
  }
  for (std::size_t i = 0; i < 500; ++i) definition.solutions.push_back("s" + std::to_string(i));
  const auto matrix = visual::status_chart(definition);
  CHECK(matrix.columns.size() == 100);
  CHECK(matrix.columns.front().starts_with("w0"));
  CHECK(matrix.columns.back().starts_with("w119"));
  REQUIRE(matrix.rows.size() == 400);
  CHECK(matrix.cells.size() == 400);
  CHECK(matrix.cells.front().size() == 100);
  CHECK(matrix.subtitle.ends_with("; 100 of 120 workloads; the first 400 of 500 solutions"));
}

TEST_CASE("of very many solutions and workloads the chart of latencies has some, and says so") {
  const RunsScene runs;
  visual::DefinitionScene definition = runs.gemm();
  const auto workloads = add_workloads(definition, 16);
  for (std::size_t i = 0; i < 30; ++i) definition.solutions.push_back("s" + std::to_string(i));
  const auto chart = visual::latency_chart(runs.scene(), definition);
  CHECK(chart.subtitle ==
        "latency against size; 30 of 104 workloads, and what failed on others; the first 20 of 33 solutions");
  REQUIRE(chart.series.size() == 20);
  // The axis is a logarithm from 1 to 115: small sizes lie apart on it.
  CHECK(series_of(chart, "alice_fast").points.size() == 4);
}

TEST_CASE("a chart of latencies has every failure, also of workloads that it leaves out") {
  const RunsScene runs;
  visual::DefinitionScene definition = runs.gemm();
  auto workloads = add_workloads(definition, 1'000'000);  // in one part of the axis
  workloads[99].axes = {{"M", 0}};                        // which it cannot show
  report::Detail failed = **std::find_if(definition.results.begin(), definition.results.end(),
                                         [](const auto* detail) { return !detail->row.passed(); });
  report::Detail passed = **std::find_if(definition.results.begin(), definition.results.end(),
                                         [](const auto* detail) { return detail->row.passed(); });
  failed.row.workload = passed.row.workload = &workloads[40];
  const std::string of_failed = *failed.row.solution;
  const std::string of_passed = *passed.row.solution;
  definition.results = {&failed, &passed};
  const auto chart = visual::latency_chart(runs.scene(), definition);
  REQUIRE(of_failed != of_passed);
  REQUIRE(series_of(chart, of_failed).points.size() == 1);
  CHECK(series_of(chart, of_failed).points[0].failed);
  CHECK(series_of(chart, of_passed).points.empty());
  CHECK(chart.subtitle.starts_with("latency against size; 6 of 104 workloads"));
}

TEST_CASE("speedups of a definition's solutions have the order and the yardstick of its leaderboard") {
  const RunsScene runs;
  auto board = *runs.gpu().summary.leaderboard("gemm_n128");
  const auto against_reference = visual::solution_speedups_chart(runs.gemm(), board, {});
  REQUIRE(!against_reference.boxes.empty());
  CHECK(against_reference.boxes[0].label == runs.gemm().solutions[0]);
  // One that failed has its colour here, too.
  visual::Colours colours;
  for (const std::string& solution : runs.gemm().solutions) colours[solution] = colours.size();
  const auto coloured = visual::solution_speedups_chart(runs.gemm(), board, colours);
  const auto partly = std::find_if(coloured.boxes.begin(), coloured.boxes.end(), [](const chart::Box& box) {
    return box.text.find(", passed ") != std::string::npos;
  });
  REQUIRE(partly != coloured.boxes.end());
  CHECK(partly->colour == colours.at(partly->label));
  CHECK(against_reference.reference->label == "reference");
  board.against = report::Against::baseline;
  board.baseline_author = "alice";
  const auto against_baseline = visual::solution_speedups_chart(runs.gemm(), board, {});
  CHECK(against_baseline.reference->label == "baseline");
  REQUIRE(!against_baseline.boxes.empty());
  CHECK(against_baseline.boxes[0].values->median == Approx(1));  // the fastest of alice's, against itself
}

TEST_CASE("charts of authors have the yardstick of the ranking") {
  const testing::TemporaryDataset files;
  testing::write_runs(files);
  const auto against = [&](const char* baseline) {
    visual::Scene scene;
    visual::read_scene(files.root().string(), {.every_trace = true, .baseline_author = baseline}, scene);
    REQUIRE(scene.hardware.size() == 1);
    CHECK(scene.hardware[0].summary.authors.against == scene.hardware[0].problems.against);
    return scene.hardware[0].problems.against;
  };
  CHECK(against("bob") == report::Against::baseline);
  CHECK(against("alice") == report::Against::reference);  // who has two solutions of one definition
}

TEST_CASE("a history has a category for each run, and a cross where something failed") {
  const RunsScene runs;
  const auto subjects = visual::subjects_of(runs.scene().history);
  REQUIRE(subjects.size() == 1);
  const auto& [subject, tried_in] = *subjects.begin();
  CHECK(subject.definition == "gemm_n128");
  CHECK(subject.hardware == testing::kGpu);
  const auto chart = visual::history_chart(subject, tried_in, visual::run_labels(runs.scene().history));
  REQUIRE(chart.categories.size() == 2);
  CHECK(chart.categories[0].label == "01-01 00:00");  // of its id
  CHECK(chart.categories[1].note.find("no record") != std::string::npos);
  const auto& fast = series_of(chart, "alice_fast");
  REQUIRE(fast.points.size() == 2);
  CHECK(*fast.points[0].y == Approx(1));
  CHECK(!fast.points[1].failed);
  CHECK(series_of(chart, "alice_slow").points[0].failed);
  CHECK(series_of(chart, "bob_gemm").points.front().x == 1);
}

TEST_CASE("of very many solutions a history shows the fastest, and others that slowed down or failed last") {
  report::DatasetHistory history;
  for (const int i : {0, 1}) {
    report::HistoryRun run;
    run.record.run_id = "r" + std::to_string(i);
    run.record.hardware = "H";
    for (int s = 0; s < 40; ++s) {
      report::RunStanding standing;
      standing.definition = "d";
      standing.solution = fmt::format("s{:02}", s);
      standing.evaluations = standing.passed = 1;
      const bool is_slowed = s == 35 && i == 1;
      standing.workloads["w"] = {std::log((is_slowed ? 1.5 : 1.0) * (1 + s)), std::log1p(0.01), 1};
      if (s == 30 && i == 1) standing.passed = 0;
      run.traces.standings[{"d", nullptr, standing.solution}] = standing;
    }
    history.runs.push_back(run);
  }
  const auto chart = chart_of(history);
  REQUIRE(chart.series.size() == 22);
  CHECK(chart.series.front().name == "s00");
  CHECK_FALSE(series_of(chart, "s35").points.empty());
  CHECK_FALSE(series_of(chart, "s30").points.empty());
  CHECK(chart.subtitle.find("; 22 of 40 solutions: the fastest, and others that") != std::string::npos);
  chart::LineChart twenty;
  twenty.series.resize(20);
  CHECK(visual::few_solutions_text(twenty, 35) == "20 of 35 solutions: the fastest");
  CHECK(visual::few_solutions_text(twenty, 20).empty());
}

TEST_CASE("runs of a history are named by time and commit; slower ones beyond the intervals are marked") {
  report::DatasetHistory history;
  const auto add = [&](const char* minute, double ms, double interval) {
    report::HistoryRun run;
    run.record.run_id = std::string("r") + minute;
    run.record.hardware = "H";
    run.record.started_utc = std::string("2026-03-17T14:") + minute + ":00+00:00";
    run.record.dataset_git = dataset::RunCommit{"1a2b3c4d5e6f", std::nullopt};
    report::RunStanding standing;
    standing.definition = "d";
    standing.solution = "s";
    standing.evaluations = standing.passed = 1;
    standing.workloads["w"] = {std::log(ms), std::log1p(interval), 1};
    run.traces.standings[{"d", nullptr, "s"}] = standing;
    history.runs.push_back(run);
  };
  add("10", 1.0, 0.02);
  add("20", 1.015, 0.02);
  add("30", 1.084, 0.02);
  const auto chart = chart_of(history);
  CHECK(chart.categories[1].whole_label() == "03-17 14:20 1a2b3c4d");
  CHECK(chart.categories[1].note.starts_with("r20\n"));
  const auto& points = series_of(chart, "s").points;
  CHECK_FALSE(points[1].flagged);
  CHECK(points[2].flagged);
  CHECK(points[2].note.find("6.8% slower than the run before") != std::string::npos);
  CHECK(*points[0].low == Approx(0.98));
  CHECK(*points[0].high == Approx(1.02));
  // Over several years each has its own.
  history.runs[0].record.started_utc = "2025-12-31T23:50:00+00:00";
  const auto years = chart_of(history);
  CHECK(years.categories[0].label == "2025-12-31 23:50");
  CHECK(years.categories[0].whole_label() == "2025-12-31 23:50 1a2b3c4d");
  CHECK(years.categories[1].whole_label() == "2026-03-17 14:20 1a2b3c4d");
  CHECK(years.categories[2].whole_label() == "2026-03-17 14:30 1a2b3c4d");
  // Where two began in one minute all have seconds.
  history.runs[0].record.started_utc = "2026-03-17T14:20:30+00:00";
  const auto minutes = chart_of(history);
  CHECK(minutes.categories[0].whole_label() == "03-17 14:20:30 1a2b3c4d");
  CHECK(minutes.categories[2].whole_label() == "03-17 14:30:00 1a2b3c4d");
  // Where another run may read anything below there is a band all the same.
  history.runs[0].traces.standings.begin()->second.workloads["w"].log_interval_sum = std::log1p(1.5);
  const auto wide = chart_of(history);
  CHECK(*series_of(wide, "s").points[0].low == Approx(1 / 2.5));
  CHECK(series_of(wide, "s").points[0].note.find("rerun within 0 to 2.5x") != std::string::npos);
}

TEST_CASE("a run whose solution has another source than in the run before says so in its note") {
  report::DatasetHistory history;
  for (const char* source : {"", "a", "a", "b"}) {
    report::HistoryRun run;
    run.record.run_id = fmt::format("r{}", history.runs.size());
    run.record.hardware = "H";
    report::RunStanding standing;
    standing.definition = "d";
    standing.solution = "s";
    standing.evaluations = standing.passed = 1;
    standing.workloads["w"] = {0, 0, 1};
    if (*source != '\0') standing.sources.insert(source);
    run.traces.standings[{"d", nullptr, "s"}] = standing;
    history.runs.push_back(run);
  }
  const auto chart = chart_of(history);
  std::vector<bool> changed;
  for (const auto& point : series_of(chart, "s").points) {
    changed.push_back(point.changed);
    CHECK(point.changed ==
          (point.note.find("the source has changed since the run before") != std::string::npos));
  }
  CHECK(changed == std::vector{false, false, false, true});
}

TEST_CASE("solutions come by their latency in their last run, those that failed then last") {
  report::DatasetHistory history;
  const auto add = [&](const std::map<std::string, double>& latencies) {
    report::HistoryRun run;
    run.record.run_id = fmt::format("r{}", history.runs.size());
    run.record.hardware = "H";
    for (const auto& [solution, ms] : latencies) {
      report::RunStanding standing;
      standing.definition = "d";
      standing.solution = solution;
      standing.evaluations = 1;
      standing.passed = ms > 0 ? 1 : 0;
      standing.workloads["w"] = {ms > 0 ? std::log(ms) : 0, 0, ms > 0 ? 1U : 0U};
      run.traces.standings[{"d", nullptr, solution}] = standing;
    }
    history.runs.push_back(run);
  };
  add({{"a", 1}, {"b", 2}, {"c", 3}});
  add({{"a", 0}, {"b", 2}, {"c", 1}});
  std::vector<std::string> names;
  for (const auto& series : chart_of(history).series) names.push_back(series.name);
  CHECK(names == std::vector<std::string>{"c", "b", "a"});
}

TEST_CASE("the line over runs is of the workloads that a solution's runs have in common") {
  report::DatasetHistory history;
  const auto add = [&](const char* minute, const std::map<std::string, double>& latencies) {
    report::HistoryRun run;
    run.record.run_id = std::string("r") + minute;
    run.record.hardware = "H";
    run.record.started_utc = std::string("2026-03-17T14:") + minute + ":00+00:00";
    report::RunStanding standing;
    standing.definition = "d";
    standing.solution = "s";
    standing.evaluations = standing.passed = latencies.size();
    for (const auto& [uuid, ms] : latencies) standing.workloads[uuid] = {std::log(ms), 0, 1};
    run.traces.standings[{"d", nullptr, "s"}] = standing;
    history.runs.push_back(run);
  };
  add("00", {{"other", 9}});  // nothing of it was run again
  add("10", {{"small", 1}, {"large", 100}});
  add("20", {{"small", 1}});
  const auto chart = chart_of(history);
  const auto& points = series_of(chart, "s").points;
  REQUIRE(points.size() == 2);
  CHECK(points[0].x == 1);
  CHECK(*points[0].y == Approx(1));
  CHECK(*points[1].y == Approx(1));
  CHECK(points[1].note.find("latency over 1 of 3 workloads") != std::string::npos);
}

TEST_CASE("a solution has one colour in all charts of a page") {
  const RunsScene runs;
  const auto& colours = runs.scene().colours.at("gemm_n128");
  const auto latency = visual::coloured(visual::latency_chart(runs.scene(), runs.gemm()), colours);
  const auto history = visual::coloured(chart_of(runs.scene().history), colours);
  for (const char* solution : {"alice_fast", "alice_slow", "bob_gemm"}) {
    CHECK(series_of(latency, solution).colour == colours.at(solution));
    CHECK(series_of(history, solution).colour == colours.at(solution));
  }
}

TEST_CASE("a sweep over numbers has an axis, one over words has categories") {
  report::HistoryRun run;
  run.record.run_id = "r";
  const auto add = [&](const nlohmann::ordered_json& sweep, const char* solution, double log_sum) {
    report::RunStanding standing;
    standing.definition = "d";
    standing.solution = solution;
    standing.sweep = sweep;
    standing.evaluations = standing.passed = 1;
    standing.workloads["w"] = {log_sum, 0, 1};
    run.traces.standings[{"d", sweep, solution}] = standing;
  };
  add({{"iterations", 10}}, "s", 0);
  add({{"iterations", 100}}, "s", 0);
  CHECK(visual::swept_definitions(run) == std::vector<std::string>{"d"});
  const auto numbers = visual::sweep_chart(run, "d");
  CHECK(numbers.categories.empty());
  CHECK(numbers.x.title == "iterations");
  REQUIRE(numbers.series.size() == 1);
  CHECK(numbers.series[0].points[1].x == 100);
  CHECK(*numbers.series[0].points[1].y == Approx(1));
  add({{"flush", "clean"}}, "s", 0);
  const auto words = visual::sweep_chart(run, "d");
  CHECK(words.categories.size() == 3);
}

TEST_CASE("a roofline has the best solution of every workload below the roofs of its device") {
  const testing::TemporaryDataset files;
  files.write("definitions/gemm/g.json",
              R"({"name":"g","op_type":"gemm","axes":{"M":{"type":"var"},"N":{"type":"const","value":64},
                  "K":{"type":"const","value":32}},"inputs":{"A":{"shape":["M","K"],"dtype":"float16"},
                  "B":{"shape":["N","K"],"dtype":"float16"}},"outputs":{"C":{"shape":["M","N"],"dtype":"float16"}},
                  "reference":"def run(A, B):\n    return A\n"})");
  files.write("solutions/a/s.json", testing::solution_text("s", "a", "cuda", "NVIDIA", "g"));
  files.write("traces/t.jsonl", testing::SampleTrace{"g", "s", "w", 16, 0.001, 2, testing::kGpu}.line());
  visual::Scene scene;
  visual::read_scene(files.root().string(), {}, scene);
  const auto chart = visual::roofline_chart(scene.hardware.at(0));
  REQUIRE(chart.bandwidths.size() == 1);
  CHECK(chart.bandwidths[0].value == Approx(4.8e12));
  REQUIRE(chart.peaks.size() == 1);
  REQUIRE(chart.series.size() == 1);
  const double flops = 2.0 * 16 * 64 * 32;
  const double bytes = 2.0 * (16 * 32 + 64 * 32 + 16 * 64);
  CHECK(chart.series[0].points.at(0).intensity == Approx(flops / bytes));
  CHECK(chart.series[0].points.at(0).performance == Approx(flops / 1e-6));
}
