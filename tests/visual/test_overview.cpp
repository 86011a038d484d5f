#include <catch2/catch.hpp>

#include "model/solution.h"
#include "visual/overview.h"
#include "visual/page.h"
#include "visual/scenes.h"

using namespace fib;
using report::Standing;
using report::Verdict;

namespace {

Standing standing(const char* solution, std::optional<std::size_t> rank, double latency_ms,
                  std::size_t passed = 4, const char* author = "me") {
  Standing one;
  one.solution = solution;
  one.rank = rank;
  one.author = author;
  one.latency_ms = latency_ms;
  one.passed = passed;
  one.workloads = 4;
  return one;
}

report::HardwareSummary summary(std::vector<report::Leaderboard> boards) {
  report::HardwareSummary result;
  result.leaderboards = std::move(boards);
  return result;
}

std::string headline_of(const report::HardwareSummary& summary) {
  return visual::headline(visual::outcomes_of(summary), report::Against::reference);
}

}  // namespace

TEST_CASE("the headline of one definition says who won, by how much, and how sure that is") {
  auto winner = standing("fast", 1, 0.5);
  winner.interval = 0.02;
  winner.speedup = 36.5;
  winner.speedup_range = dataset::SpeedupRange{31, 38};
  CHECK(headline_of(summary({{"gemm", report::Against::reference, {winner, standing("slow", 2, 1.0)}}})) ==
        "fast wins gemm: 0.50000 ms ±2.0%, 31.0–38.0x the reference, 2.00x as fast as slow.");
  CHECK(headline_of(summary({{"gemm",
                              report::Against::reference,
                              {standing("a", 1, 0.5), standing("b", 1, 0.51), standing("c", 3, 1.0)}}})) ==
        "a and b lead gemm and cannot be told apart, the first at 0.50000 ms, 2.00x as fast as c.");
}

TEST_CASE("a win against the baseline alone is told as such") {
  const auto board = [](const char* name, std::vector<report::Standing> standings) {
    standings.back().author = "base";
    return report::Leaderboard{name, report::Against::baseline, std::move(standings), "base"};
  };
  const auto alone = board("a", {standing("fast", 1, 0.5), standing("b", 2, 1)});
  const auto others = board("b", {standing("fast", 1, 0.5), standing("slow", 2, 0.8), standing("b", 3, 1)});
  const auto nobody = board("c", {standing("fast", 1, 0.5), standing("b", std::nullopt, 1, 2)});
  const auto text = [](std::vector<report::Leaderboard> boards) {
    return visual::baseline_alone_text(visual::outcomes_of(summary(std::move(boards))));
  };
  CHECK(text({alone, others}) == ", 1 of them against the baseline alone");
  CHECK(text({alone, alone}) == ", all of them against the baseline alone");
  CHECK(text({alone, nobody}) == ", against the baseline alone");
  CHECK(text({others, nobody}).empty());
  auto own = alone;
  own.standings.front().author = "base";
  CHECK(text({own}).empty());
  CHECK_THAT(headline_of(summary({alone, others})),
             Catch::Contains(" wins 2 of 2 definitions, 1 of them against the baseline alone."));
}

TEST_CASE("a small lead without intervals is no win") {
  const auto of = [](double next_ms, std::optional<double> interval) {
    auto first = standing("a", 1, 1.0);
    first.interval = interval;
    return headline_of(summary({{"d", report::Against::reference, {first, standing("b", 2, next_ms)}}}));
  };
  CHECK(of(1.004, std::nullopt) == "a comes first, perhaps by noise, in d: 1.00000 ms, 0.4% faster than b.");
  CHECK_THAT(of(1.004, 0.001), Catch::StartsWith("a wins d: "));
  CHECK_THAT(of(1.5, std::nullopt), Catch::StartsWith("a wins d: "));
  const auto near = [](const char* name) {
    return report::Leaderboard{
        name, report::Against::reference, {standing("a", 1, 1.0), standing("b", 2, 1.01)}};
  };
  const auto both = summary({near("d"), near("e")});
  const auto outcomes = visual::outcomes_of(both);
  CHECK(outcomes[0].is_unsure());
  CHECK_FALSE(outcomes[0].has_won());
  CHECK_FALSE(outcomes[0].is_unopposed());
  CHECK(visual::wins_by_author(outcomes).empty());
  CHECK(visual::headline(outcomes, report::Against::reference) ==
        "None of 2 definitions was won against others; of 2 definitions who comes first may be noise.");
}

TEST_CASE("who did not pass everything is never the winner") {
  const auto board = summary({{"gemm",
                               report::Against::reference,
                               {standing("part", std::nullopt, 0.1, 3), standing("less", 1, 0.05, 2)}}});
  const auto outcomes = visual::outcomes_of(board);
  REQUIRE(outcomes.size() == 1);
  CHECK(outcomes[0].winners.empty());
  CHECK(outcomes[0].failed == 2);
  CHECK_FALSE(outcomes[0].lead());
  CHECK(headline_of(board) == "No solution of gemm passed every workload; part passed 3 of 4.");
  CHECK(headline_of(summary({{"gemm", report::Against::reference, {standing("x", std::nullopt, 1, 0)}}})) ==
        "No solution of gemm passed any workload.");
}

TEST_CASE("the headline of several definitions counts wins, ties and definitions without a winner") {
  const report::Leaderboard won{
      "a", report::Against::reference, {standing("x", 1, 1, 4, "alice"), standing("y", 2, 2)}};
  const report::Leaderboard alone{"a", report::Against::reference, {standing("x", 1, 1)}};
  const report::Leaderboard tie{"b", report::Against::reference, {standing("x", 1, 1), standing("y", 1, 1)}};
  const report::Leaderboard none{"c", report::Against::reference, {standing("x", std::nullopt, 1, 0)}};
  CHECK(headline_of(summary({won, won, tie, none})) ==
        "alice wins 2 of 4 definitions; 1 is a tie; no solution passed every "
        "workload of c.");
  CHECK(headline_of(summary({tie, tie})) == "None of 2 definitions was won against others; 2 are ties.");
  CHECK(headline_of(summary({won, alone})) ==
        "alice wins 1 of 2 definitions; 1 was passed by a single solution.");
  CHECK(headline_of(summary({alone})) == "x alone passed every workload of a: 1.00000 ms.");
  CHECK(headline_of(summary({none, none})) ==
        "No solution passed every workload of any of the 2 definitions.");
}

TEST_CASE("what changed in the last run is told by solution, with its verdicts") {
  const testing::RunsScene runs;
  const auto changes = visual::changes_of(runs.scene(), testing::kGpu);
  REQUIRE(changes);
  CHECK(changes->run_id == testing::kRun2);
  CHECK(changes->runs_before == std::set<std::string>{testing::kRun1});
  REQUIRE(changes->changed.size() == 2);
  CHECK(changes->changed[0].solution == "alice_slow");  // what broke stands first
  CHECK(visual::changes_text(changes->changed[0].verdicts) == "1 broken, 1 fixed");
  const auto& fast = changes->changed[1];
  CHECK(fast.solution == "alice_fast");
  CHECK(fast.results == 4);
  CHECK(visual::changes_text(fast.verdicts) == "2 slower, 1 faster");
  CHECK(*fast.ratio == Approx(std::pow(1.005 * 0.9 * 1.03 * 1.02, 0.25)));
  CHECK(fast.ratios_changed == 3);
  CHECK(*fast.changed_ratio == Approx(std::cbrt(0.9 * 1.03 * 1.02)));
  CHECK(visual::changes_text({{Verdict::same, 3}}) == "nothing");
  CHECK_FALSE(visual::changes_of(runs.scene(), "other"));
}

TEST_CASE("a small lead is told in percent") {
  CHECK_THAT(headline_of(summary(
                 {{"gemm", report::Against::reference, {standing("a", 1, 0.5), standing("b", 2, 0.51)}}})),
             Catch::EndsWith(", 2.0% faster than b."));
}

TEST_CASE("who led until the last run broke it is named beside who leads now") {
  visual::Change fallen{"gemm", "fast", 4, {{Verdict::broken, 1}}, std::nullopt, 0.25};
  auto slower_than_the_winner = fallen;
  slower_than_the_winner.solution = "slow";
  slower_than_the_winner.before_ms = 0.75;
  auto of_fewer_workloads = fallen;
  of_fewer_workloads.solution = "few";
  of_fewer_workloads.results = 1;
  auto only_slower = fallen;
  only_slower.solution = "whole";
  only_slower.verdicts = {{Verdict::slower, 4}};
  const std::optional<visual::Changes> changes =
      visual::Changes{"run", {slower_than_the_winner, of_fewer_workloads, only_slower, fallen}, {}, {}, {}};
  const auto board = summary({{"gemm", report::Against::reference, {standing("now", 1, 0.5)}}});
  const auto outcomes = visual::outcomes_of(board);
  const auto leaders = visual::fallen_leaders(outcomes, changes);
  REQUIRE(leaders.size() == 1);
  CHECK(leaders.at("gemm")->solution == "fast");
  CHECK(visual::fallen_text(leaders) ==
        "Faster before, and broken in the last run: fast of gemm (0.25000 ms).");
  CHECK(visual::fallen_leaders(outcomes, std::nullopt).empty());
  CHECK(visual::fallen_text({}).empty());
  // Where another run of the winner may be as fast nobody knows who led.
  auto unsure = standing("now", 1, 0.5);
  unsure.interval = 1.2;
  const auto blurred = summary({{"gemm", report::Against::reference, {unsure}}});
  CHECK(visual::fallen_leaders(visual::outcomes_of(blurred), changes).empty());
}

TEST_CASE("who leads and became slower in the last run is named, with how much") {
  visual::Change slower{"gemm", "now", 4, {{Verdict::slower, 4}}, 2.742, 0.25};
  auto other = slower;
  other.solution = "other";
  auto faster_as_a_whole = slower;
  faster_as_a_whole.definition = "norm";
  faster_as_a_whole.ratio = 0.9;
  const std::optional<visual::Changes> changes =
      visual::Changes{"run", {other, slower, faster_as_a_whole}, {}, {}, {}};
  const auto board =
      summary({{"gemm", report::Against::reference, {standing("now", 1, 0.5), standing("other", 2, 1)}},
               {"norm", report::Against::reference, {standing("now", 1, 0.5)}}});
  const auto outcomes = visual::outcomes_of(board);
  CHECK(visual::slowed_text(outcomes, changes) ==
        "First, but slower on most workloads in the last run: now of gemm (+174.2%).");
  CHECK(visual::slowed_text(outcomes, std::nullopt).empty());
  // On a few of its workloads alone that may be noise.
  auto few = slower;
  few.verdicts = {{Verdict::slower, 2}};
  CHECK(visual::slowed_text(outcomes, visual::Changes{"run", {few}, {}, {}, {}}).empty());
  // Of those that share the first rank the first one is named first.
  const auto shared =
      summary({{"gemm", report::Against::reference, {standing("now", 1, 0.5), standing("other", 1, 0.6)}}});
  const auto tied = visual::outcomes_of(shared);
  CHECK(visual::slowed_text(tied, visual::Changes{"run", {other, slower}, {}, {}, {}}) ==
        "First, but slower on most workloads in the last run: now of gemm (+174.2%; tied) and other of gemm "
        "(+174.2%; tied).");
}

TEST_CASE("a reason that most failures share is told once, without the line of a source") {
  const visual::Failure first{"d", "a", "COMPILE_ERROR: a.cpp:1:2: error: no", 0, 3, nullptr};
  auto alike = first;
  alike.reason = "COMPILE_ERROR: b.cpp:3:4: error: no";
  auto other = first;
  other.reason = "TIMEOUT: too long";
  CHECK(visual::common_cause({first, alike, other}) ==
        "2 of 3 solutions failed for the same reason: COMPILE_ERROR: error: no.");
  CHECK(visual::common_cause({first, other}).empty());
  CHECK(visual::common_cause({}).empty());
}

TEST_CASE("failures are told by solution, with the first of them") {
  const testing::RunsScene runs;
  const auto failures = visual::failures_of(runs.gpu());
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].solution == "alice_slow");
  CHECK(failures[0].passed == 1);
  CHECK(failures[0].workloads == 3);
  CHECK(failures[0].first->row.workload->uuid == "w1");
}

TEST_CASE("solutions of a definition that failed for one reason stand together") {
  const visual::Failure first{"d", "a", "COMPILE_ERROR: a.cpp:1:2: error: no", 0, 3, nullptr};
  auto other_reason = first;
  other_reason.reason = "TIMEOUT";
  auto other_definition = first;
  other_definition.definition = "e";
  auto alike = first;
  alike.solution = "b";
  alike.reason = "COMPILE_ERROR: b.cpp:3:4: error: no";
  const auto groups = visual::by_reason({first, other_reason, other_definition, alike});
  REQUIRE(groups.size() == 3);
  REQUIRE(groups[0].size() == 2);
  CHECK(groups[0][1].solution == "b");
  CHECK(groups[1][0].reason == "TIMEOUT");
  CHECK(groups[2][0].definition == "e");
}

TEST_CASE("solutions that failed on other workloads, or on more of them, stand apart") {
  const testing::RunsScene runs;
  const auto known = visual::failures_of(runs.gpu());
  visual::Failure once = known[0];
  visual::Failure often = once;
  often.solution = "b";
  often.passed = once.passed + 1;
  visual::Failure alike = once;
  alike.solution = "c";
  const auto groups = visual::by_reason({once, often, alike});
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].size() == 2);
  CHECK(groups[1][0].solution == "b");
}

TEST_CASE("the first failure is that of the smallest workload, in whatever order they were tried") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  files.write("solutions/s.json", testing::solution_text("s", "me", "cuda"));
  std::string traces;
  for (const int m : {16, 2, 8}) {
    traces += testing::RunTrace{.run = testing::kRun1,
                                .definition = "d",
                                .solution = "s",
                                .uuid = "w" + std::to_string(m),
                                .m = m,
                                .status = "TIMEOUT"}
                  .line();
  }
  files.write("traces/t.jsonl", traces);
  visual::Scene scene;
  visual::read_scene(files.root().string(), {}, scene);
  CHECK(visual::failures_of(scene.hardware[0])[0].first->row.workload->uuid == "w2");
}

TEST_CASE("what changed says what results of the same source tell of the machine") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  std::string traces;
  for (const char* run : {testing::kRun1, testing::kRun2}) {
    for (int i = 0; i < 6; ++i) {
      const std::string name = "s" + std::to_string(i);
      const std::string text = testing::solution_text(name, "me", "cuda");
      files.write("solutions/" + name + ".json", text);
      testing::RunTrace trace{.run = run, .definition = "d", .solution = name};
      trace.median = run == testing::kRun1 ? 1.0 : 1.2;
      std::string line = trace.line();
      line.insert(line.find("\"config\""),
                  "\"solution_sha256\":\"" + model::content_sha256(model::parse_solution(text)) + "\",");
      traces += line;
    }
  }
  files.write("traces/t.jsonl", traces);
  visual::Scene scene;
  visual::read_scene(files.root().string(), {}, scene);
  const auto changes = visual::changes_of(scene, testing::kGpu);
  REQUIRE(changes);
  CHECK(changes->drift.ratio == Approx(1.2));
  const std::string html = visual::page(scene, {"name", "0.0.0", false, {}});
  CHECK(html.find("6 results of the same source are 20.0% slower than before") != std::string::npos);
}

TEST_CASE("how sure the winners are is told by the least sure of them") {
  auto sure = standing("a", 1, 1);
  sure.interval = 0.02;
  auto unsure = standing("b", 1, 1);
  unsure.interval = 0.5;
  auto least_sure = standing("d", 1, 1.1);
  least_sure.interval = 3;
  const auto widest = visual::widest_interval(
      visual::outcomes_of(summary({{"d", report::Against::reference, {sure, standing("c", 2, 2)}},
                                   {"e", report::Against::reference, {unsure, sure, least_sure}},
                                   {"f", report::Against::reference, {standing("x", 1, 1)}}})));
  CHECK(widest == 0.5);  // of a tie that of the first, which stands beside it
  CHECK_FALSE(visual::widest_interval({}));
}

TEST_CASE("the cause of several failures names no line, which differs from source to source") {
  const testing::RunsScene runs;
  const auto failures = visual::failures_of(runs.gpu());
  CHECK(visual::cause_of({failures[0]}) == "RUNTIME_ERROR: illegal memory access");
  CHECK(visual::cause_of({failures[0], failures[0]}) == "RUNTIME_ERROR: illegal memory access");
  auto at_one = failures[0];
  at_one.reason = "COMPILE_ERROR: a.cu:1:2: error: no";
  auto at_other = at_one;
  at_other.reason = "COMPILE_ERROR: a.cu:9:2: error: no";
  CHECK(visual::cause_of({at_one, at_one}) == "COMPILE_ERROR: a.cu:1:2: error: no");  // all fail there
  CHECK(visual::cause_of({at_one, at_other}) == "COMPILE_ERROR: error: no");
}

TEST_CASE("authors stand with the definitions that they have won") {
  const testing::RunsScene runs;
  const std::string html = visual::page(runs.scene(), {"name", "0.0.0", false, {}});
  CHECK(html.find("<th scope=\"col\" class=\"n\">Definitions won</th>") != std::string::npos);
  CHECK(visual::wins_by_author(visual::outcomes_of(runs.gpu().summary)) ==
        std::vector<std::pair<std::size_t, std::string>>{});  // nobody else passed everything
  CHECK(html.find("3 solutions for 1 definition") != std::string::npos);
}

TEST_CASE("the first screen of a page has the headline, the key figures, and links to what they are about") {
  const testing::RunsScene runs;
  const std::string html = visual::page(runs.scene(), {"name", "0.0.0", false, {}});
  const auto holds = [&](const std::string& part) { return html.find(part) != std::string::npos; };
  CHECK(holds("<figcaption>Latency against size"));
  CHECK(holds("<p class=\"lead\">alice_fast alone passed every workload of gemm_n128: "));
  CHECK(holds("<b>0 of 1</b><span>definitions won against others, 1 passed by one alone</span>"));
  CHECK(holds("<a class=\"tile bad\" href=\"#on-NVIDIA~20H200-failures\"><b>1</b>"));
  CHECK(holds(
      "<b>1 broken, 2 slower</b><span>results of 2 solutions in the last run against those before; also 1 "
      "faster, 1 fixed</span>"));
  CHECK(holds("<details id=\"s-alice_fast\" class=\"source\"><summary>alice_fast</summary>"));
  CHECK(
      holds("<a href=\"#log-1\">2 times; first w1 M=1: RUNTIME_<wbr>ERROR: illegal memory "
            "access</a>"));
}
