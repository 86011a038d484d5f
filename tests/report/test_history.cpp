#include <catch2/catch.hpp>

#include "dataset/runs.h"
#include "report/history_dataset.h"
#include "report/history_text.h"
#include "util/error.h"

using namespace fib;
using present::Format;
using testing::kInterruptedRun;
using testing::kKilledRun;
using testing::kSweptRun;

namespace {

report::DatasetHistory history_of(const testing::TemporaryDataset& files) {
  std::vector<dataset::Problem> problems;
  report::HistoryBuilder builder("D", dataset::read_runs(files.root(), problems));
  REQUIRE(problems.empty());
  for (const auto& trace : testing::traces_of(files.root())) builder.add(trace);
  return builder.finish();
}

report::DatasetHistory sample() {
  const testing::TemporaryDataset files;
  testing::write_history(files);
  return history_of(files);
}

dataset::RunRecord record(const std::string& run_id) {
  dataset::RunRecord result;
  result.run_id = run_id;
  return result;
}

}  // namespace

TEST_CASE("records and traces make one history, in the order in which the runs began") {
  const auto history = sample();
  CHECK(history.traces_without_run == 1);
  REQUIRE(history.runs.size() == 3);
  const auto& swept = history.runs[0];
  const auto& interrupted = history.runs[1];
  CHECK(swept.record.run_id == kSweptRun);
  CHECK(swept.has_record);
  CHECK(swept.evaluations() == 4);
  CHECK(swept.passed() == 3);
  CHECK(swept.failed_by_status() == std::map<std::string, std::size_t>{{"TIMEOUT", 1}});
  CHECK(swept.duration_s() == Approx(185));
  CHECK(interrupted.record.run_id == kInterruptedRun);
  CHECK(interrupted.evaluations() == 7);  // its traces are elsewhere
  CHECK_FALSE(interrupted.solutions());
  CHECK(interrupted.traces.total == 0);
}

TEST_CASE("a run without a record is known by its traces") {
  const auto history = sample();
  const auto& killed = history.runs.at(2);
  CHECK_FALSE(killed.has_record);
  CHECK(killed.record.run_id == kKilledRun);
  CHECK(killed.record.hardware == "NVIDIA H200");
  CHECK(killed.record.device == "cuda");
  CHECK(killed.record.started_utc == "2026-03-19T10:04:00.000000+00:00");  // the earliest
  CHECK(killed.traces.ended_utc == "2026-03-19T10:06:30.000000+00:00");
  CHECK_FALSE(killed.duration_s());
  CHECK_FALSE(killed.record.not_done);
  CHECK(killed.evaluations() == 3);
  CHECK(killed.passed() == 2);
  CHECK(killed.failed_by_status() == std::map<std::string, std::size_t>{{"TIMEOUT", 1}});
  CHECK(killed.definitions() == 1);
  CHECK(killed.solutions() == 2);
}

TEST_CASE("latencies of a run are geometric means, by definition, point of the sweep and solution") {
  const auto history = sample();
  std::vector<std::string> rows;
  for (const auto& [key, standing] : history.runs.at(0).traces.standings) {
    rows.push_back(standing.solution + " " + standing.sweep.dump());
  }
  CHECK(rows == std::vector<std::string>{R"(fast {"iterations":10})", R"(slow {"iterations":10})",
                                         R"(fast {"iterations":20})", R"(slow {"iterations":20})"});
  const auto& killed = history.runs.at(2).traces.standings;
  REQUIRE(killed.size() == 2);
  const auto& fast = killed.begin()->second;
  CHECK(fast.evaluations == 2);
  CHECK(fast.passed == 2);
  REQUIRE(fast.latency_ms());
  CHECK(*fast.latency_ms() == Approx(1));  // of 0.5 and 2
  const auto& slow = killed.rbegin()->second;
  CHECK_FALSE(slow.latency_ms());
  CHECK(slow.failed.at("TIMEOUT") == 1);
}

TEST_CASE("points of a sweep are ordered by number, not by text") {
  const testing::TemporaryDataset files;
  std::string traces;
  for (const std::string value : {"100", "9", "20"}) {
    traces += testing::run_trace("1", "s", 1, "00", R"(,"sweep":{"n":)" + value + "}");
  }
  files.write("traces/t.jsonl", traces);
  const auto history = history_of(files);
  std::string order;
  for (const auto& [key, standing] : history.runs.at(0).traces.standings) {
    order += standing.sweep.at("n").dump() + " ";
  }
  CHECK(order == "9 20 100 ");
}

TEST_CASE("a run is chosen by its id, the beginning of it, or as the last") {
  const std::vector<report::DatasetHistory> histories = {
      report::HistoryBuilder("A", {record("20260101T1"), record("20260102T1")}).finish(),
      report::HistoryBuilder("B", {record("20260102T1"), record("20260102T1-2"), record("last")}).finish()};
  CHECK(report::choose_run(histories, "20260101") == "20260101T1");
  CHECK(report::choose_run(histories, "20260102T1") == "20260102T1");  // whole, though another begins with it
  CHECK(report::choose_run({histories[0]}, "last") == "20260102T1");
  CHECK_THROWS_WITH(
      report::choose_run(histories, "2027"),
      "\"2027\" is no baseline, and no run's id begins so; to see all runs: fib history --local A --local B");
  CHECK_THROWS_WITH(report::choose_run(histories, "2026"),
                    "the ids of 3 runs begin with \"2026\", from 20260101T1 to 20260102T1-2; write more of "
                    "the id");
  CHECK_THROWS_AS(report::choose_run({}, "last"), Error);
  CHECK(report::find_run(histories[1], "20260101T1") == nullptr);
  CHECK(report::find_run(histories[1], "20260102T1-2")->record.run_id == "20260102T1-2");
}

TEST_CASE("what a configuration has otherwise than usual is told") {
  const nlohmann::ordered_json usual = {{"rtol", 0.01}, {"timeout_s", 300.0}};
  using report::config_differences;
  CHECK(config_differences({{"rtol", 0.01}, {"timeout_s", 300}}, usual).empty());
  CHECK(config_differences({{"rtol", 0.5}, {"new", true}}, usual).dump() == R"({"rtol":0.5,"new":true})");
  CHECK(config_differences(nullptr, usual).empty());
}

TEST_CASE("a list tells the beginning of a very long configuration, programs all of it") {
  auto one = record("r");
  for (int i = 100; i < 400; ++i) one.config["option" + std::to_string(i)] = 1;
  const std::vector<report::DatasetHistory> histories = {report::HistoryBuilder("A", {one}).finish()};
  const auto text = [&](present::Format format) { return report::render_history(histories, {}, format, {}); };
  CHECK(text(present::Format::table).find("option100=1 option101=1") != std::string::npos);
  CHECK(text(present::Format::table).find("option399") == std::string::npos);
  CHECK(text(present::Format::json).find("option399") != std::string::npos);
}

TEST_CASE("names of what lies deep in a record are cut, as whoever wrote it chose them") {
  auto one = record("r");
  const std::string key(100'000, 'k');
  one.config = {{key, {{"a", 1}, {"b", 2}}}};
  one.document["config"] = one.config;
  const std::vector<report::DatasetHistory> histories = {report::HistoryBuilder("A", {one}).finish()};
  const auto text = report::render_run(histories, "r", {}, report::Seed::hidden, present::Format::table, {});
  CHECK(text.find(std::string(150, 'k')) != std::string::npos);
  CHECK(text.find(std::string(201, 'k')) == std::string::npos);
}

TEST_CASE("the seed is in no form of a run unless it shall be shown") {
  const std::vector<report::DatasetHistory> histories = {sample()};
  for (const auto format :
       {present::Format::table, present::Format::md, present::Format::json, present::Format::csv}) {
    const auto render = [&](report::Seed seed) {
      return report::render_run(histories, kSweptRun, {}, seed, format, {});
    };
    CHECK(render(report::Seed::hidden).find("secret") == std::string::npos);
    CHECK((render(report::Seed::shown).find("the secret") != std::string::npos) ==
          (format != present::Format::csv));
    CHECK(report::render_history(histories, {}, format, {}).find("secret") == std::string::npos);
  }
}

TEST_CASE("a run of two datasets is shown in each that knows it") {
  const std::vector<report::DatasetHistory> histories = {
      report::HistoryBuilder("A", {record("1"), record("2")}).finish(),
      report::HistoryBuilder("B", {record("2")}).finish()};
  const auto text = [&](const std::string& id) {
    return report::render_run(histories, id, {}, report::Seed::hidden, present::Format::table, {});
  };
  CHECK(text("1").find("B: ") == std::string::npos);
  CHECK(text("2").find("A: 0 evaluations done") != std::string::npos);
  CHECK(text("2").find("B: 0 evaluations done") != std::string::npos);
  CHECK(text("2").find("The dataset has no traces of it.") != std::string::npos);
}

TEST_CASE("a list shows as much of an id as tells it from others") {
  const std::vector<report::DatasetHistory> histories = {
      report::HistoryBuilder("A", {record("20260101T000001.1Z-1"), record("20260101T000002.1Z-1"),
                                   record("20260101T000002.2Z-1"), record("odd")})
          .finish()};
  const auto text = report::render_history(histories, {}, present::Format::table, {});
  CHECK(text.find("  20260101T000001 ") != std::string::npos);
  CHECK(text.find("  20260101T000002.1Z-1 ") != std::string::npos);
  CHECK(text.find("  20260101T000002.2Z-1 ") != std::string::npos);
  CHECK(text.find("  odd ") != std::string::npos);
}
