#include <catch2/catch.hpp>

#include "report/sample_dataset.h"
#include "report/summary.h"
#include "report/summary_text.h"

using namespace fib;
using report::Against;
using testing::definition_text;
using testing::SampleTrace;
using testing::solution_text;
using testing::TemporaryDataset;

namespace {

dataset::Dataset load_traces(const std::vector<SampleTrace>& traces,
                             const std::vector<std::pair<std::string, std::string>>& solutions) {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("definitions/e.json", definition_text("e", "other"));
  for (const auto& [name, author] : solutions) {
    files.write("solutions/" + name + ".json", solution_text(name, author, "python"));
  }
  std::string text;
  for (const auto& trace : traces) text += trace.line();
  files.write("traces/t.jsonl", text);
  return dataset::load(files.root());
}

SampleTrace failed(const std::string& solution, const std::string& uuid) {
  return {.definition = "d", .solution = solution, .uuid = uuid, .status = "TIMEOUT"};
}

}  // namespace

TEST_CASE("against the reference the fastest timed trace of each workload counts") {
  const auto loaded = load_traces({{"d", "s", "w1", 1, 4, 9},
                                   {"d", "s", "w1", 1, 2, 3},
                                   {"d", "s", "w1", 1, 1, 0},
                                   {"d", "s", "w2", 1, 2, 0.5}},
                                  {{"s", "amy"}});
  const auto outcomes = report::collect(loaded, {});
  const auto score = report::reference_score(outcomes.at("d").at("s"));
  REQUIRE(score);
  CHECK(score->avg_speedup == (3 + 0.5) / 2);
  CHECK(score->win_rate == 0.5);
  CHECK(score->workloads == 2);
  CHECK(score->success_rate == 1);
  CHECK(report::untimed_traces(outcomes) == 1);
  CHECK(outcomes.at("d").at("s").mean_latency_ms().value() == Approx(std::sqrt(1.0 * 2.0)));
}

TEST_CASE("against the reference any failed trace makes the score 0, and untimed traces make none") {
  const auto loaded =
      load_traces({{"d", "flaky", "w1", 1, 1, 5}, failed("flaky", "w1"), {"d", "untimed", "w1", 1, 1, 0}},
                  {{"flaky", "amy"}, {"untimed", "bob"}});
  const auto outcomes = report::collect(loaded, {});
  const auto score = report::reference_score(outcomes.at("d").at("flaky"));
  REQUIRE(score);
  CHECK(score->avg_speedup == 0);
  CHECK(score->success_rate == 0);
  CHECK(score->workloads == 1);
  CHECK(outcomes.at("d").at("flaky").passed() == 0);
  CHECK_FALSE(outcomes.at("d").at("flaky").mean_latency_ms());
  CHECK_FALSE(report::reference_score(outcomes.at("d").at("untimed")));
}

TEST_CASE("authors are ranked against the reference by their best solutions, ties by name") {
  const auto loaded = load_traces({{"d", "slow", "w1", 1, 1, 2},
                                   {"d", "fast", "w1", 1, 1, 4},
                                   {"d", "zoe", "w1", 1, 1, 4},
                                   {"d", "stranger", "w1", 1, 1, 9}},
                                  {{"slow", "amy"}, {"fast", "amy"}, {"zoe", "zoe"}});
  const auto ranking = report::rank_against_reference(loaded, report::collect(loaded, {}));
  REQUIRE(ranking.size() == 2);
  CHECK(ranking[0].first == "amy");
  CHECK(ranking[0].second.avg_speedup == 4);
  CHECK(ranking[0].second.best_solutions->at("d") == "fast");
  CHECK(ranking[1].first == "zoe");
  CHECK(report::unknown_traces(loaded, {}) == 1);
}

TEST_CASE("a selection holds traces by hardware, op type and definition") {
  const auto loaded =
      load_traces({{"d", "s", "w1", 1, 1, 1}, {"e", "s", "w1", 1, 1, 1, testing::kGpu}}, {{"s", "amy"}});
  CHECK(report::count_traces(loaded, {}).total == 2);
  CHECK(report::count_traces(loaded, {.hardware = testing::kGpu}).total == 1);
  CHECK(report::count_traces(loaded, {.op_type = "other"}).total == 1);
  CHECK(report::count_traces(loaded, {.definition = "d"}).total == 1);
  CHECK(report::count_traces(loaded, {.hardware = testing::kGpu, .definition = "d"}).total == 0);
}

TEST_CASE("the solutions of a definition are sorted by speedup; the baseline stands among them") {
  const auto loaded = load_traces(
      {{"d", "base", "w1", 1, 2, 1},
       {"d", "fast", "w1", 1, 1, 1},
       {"d", "slow", "w1", 1, 4, 1},
       {"d", "elsewhere", "w9", 1, 1, 1},
       failed("broken", "w1")},
      {{"base", "baseline"}, {"fast", "amy"}, {"slow", "bob"}, {"elsewhere", "eve"}, {"broken", "dan"}});
  const dataset::Queries queries(loaded);
  const auto outcomes = report::collect(loaded, {});
  const auto board = report::rank_solutions(loaded, queries, {}, "d", outcomes.at("d"), Against::baseline);
  std::vector<std::string> names;
  for (const auto& standing : board.standings) names.push_back(standing.solution);
  CHECK(names == std::vector<std::string>{"fast", "base", "slow", "broken", "elsewhere"});
  CHECK(board.standings[0].speedup == 2);
  CHECK(board.standings[1].speedup == 1);
  CHECK(board.standings[3].speedup == 0);
  CHECK(board.standings[3].passed == 0);
  CHECK_FALSE(board.standings[4].speedup);
  // Of every trace, as here, those have a place that passed everything.
  CHECK(board.standings[2].rank == 3);
  CHECK_FALSE(board.standings[3].rank);
}

TEST_CASE("equal speedups are sorted by latency, then by name") {
  const auto loaded =
      load_traces({{"d", "b", "w1", 1, 2, 3}, {"d", "c", "w1", 1, 1, 3}, {"d", "a", "w1", 1, 2, 3}},
                  {{"a", "amy"}, {"b", "bob"}, {"c", "cat"}});
  const dataset::Queries queries(loaded);
  const auto outcomes = report::collect(loaded, {});
  const auto board = report::rank_solutions(loaded, queries, {}, "d", outcomes.at("d"), Against::reference);
  CHECK(board.standings[0].solution == "c");
  CHECK(board.standings[1].solution == "a");
}

TEST_CASE("the library does not fall back by itself") {
  const auto loaded = load_traces({{"d", "s", "w1", 1, 1, 1}}, {{"s", "amy"}});
  const dataset::Queries queries(loaded);
  const auto outcomes = report::collect(loaded, {});
  CHECK_THROWS_AS(report::rank_authors(loaded, queries, {}, outcomes, Against::baseline),
                  dataset::QueryError);
  CHECK_THROWS_AS(report::rank_solutions(loaded, queries, {}, "d", outcomes.at("d"), Against::baseline),
                  dataset::QueryError);
  const auto ranking = report::rank_authors(loaded, queries, {}, outcomes, Against::reference);
  CHECK(ranking.rows.size() == 1);
}

TEST_CASE("authors are ranked against the reference where no definition is in the dataset") {
  const TemporaryDataset files;
  files.write("solutions/s.json", solution_text("s", "amy", "python"));
  files.write("traces/t.jsonl", SampleTrace{"d", "s", "w1", 1, 1, 3}.line());
  const auto loaded = dataset::load(files.root());
  const dataset::Queries queries(loaded);
  const auto outcomes = report::collect(loaded, {});
  CHECK_THROWS_WITH(report::rank_authors(loaded, queries, {}, outcomes, Against::baseline),
                    "None of the definitions that were tried is in the dataset");
  CHECK(
      report::rank_authors(loaded, queries, {}, outcomes, Against::reference).rows.at(0).second.avg_speedup ==
      3);
}

TEST_CASE("solutions that are not in the dataset cannot be compared with a baseline") {
  const auto loaded = load_traces({{"d", "s", "w1", 1, 1, 1}}, {});
  const dataset::Queries queries(loaded);
  const auto outcomes = report::collect(loaded, {});
  CHECK_THROWS_WITH(report::rank_solutions(loaded, queries, {}, "d", outcomes.at("d"), Against::baseline),
                    "No solution of definition 'd' is in the dataset");
}

TEST_CASE("a ranking says why it is not against the baseline") {
  report::AuthorRanking ranking;
  CHECK(report::explain(ranking).empty());
  ranking.reason = "No baseline";
  CHECK(report::explain(ranking) == "No baseline; speedups are against the reference.");
}
