#include <catch2/catch.hpp>

#include "report/fast_p_text.h"
#include "report/problems.h"
#include "report/rank.h"
#include "report/sample_dataset.h"

using namespace fib;
using report::Against;
using report::fast_p;
using report::Problem;

namespace {

const char* const kNorm = "rmsnorm_with_a_name_that_is_longer_than_a_terminal_likes_h4096";
const char* const kUuid = "1dbd40e4-715d-5c18-9120-74a10ed6482b";

}  // namespace

TEST_CASE("problems are all workloads, and who failed once has not solved them") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  const auto dataset = dataset::load(files.root());
  const report::Selection cpu{testing::kCpu, {}, {}};
  const auto results = report::solve_problems(dataset, cpu, "baseline", Against::baseline);
  CHECK(results.problems == 6);  // three definitions of two workloads
  REQUIRE(results.authors.size() == 3);
  CHECK(!results.authors.contains("baseline"));
  const auto& alice = results.authors.at("alice");
  REQUIRE(alice.size() == 3);
  CHECK(*alice.at(Problem("gemm_n128", "w1")) == 4);
  CHECK(*alice.at(Problem("gemm_n128", kUuid)) == 4);
  CHECK(*alice.at(Problem(kNorm, "w1")) == Approx(1.5));
  CHECK(results.authors.at("bob").size() == 2);  // a failure on one workload of gemm_n128
  CHECK(results.authors.at("carol").empty());
  CHECK(report::authors_by_fast_1(results) == std::vector<std::string>{"alice", "bob", "carol"});

  const auto reference = report::solve_problems(dataset, cpu, "baseline", Against::reference);
  CHECK(*reference.authors.at("alice").at(Problem("gemm_n128", "w1")) == 8);
  CHECK(reference.authors.at("baseline").size() == 3);
}

TEST_CASE("without a passing baseline the reference is the yardstick") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  const auto dataset = dataset::load(files.root());
  CHECK(report::natural_yardstick(dataset, {testing::kCpu, {}, {}}, "baseline") == Against::baseline);
  CHECK(report::natural_yardstick(dataset, {testing::kCpu, {}, {}}, "nobody") == Against::reference);
  const auto gpu = report::solve_problems(dataset, {testing::kGpu, {}, {}}, "baseline", Against::reference);
  // Of alice's workloads one was not timed against the reference: it is solved, without a speedup.
  const auto& alice = gpu.authors.at("alice");
  CHECK(alice.size() == 3);
  CHECK(!alice.at(Problem(kNorm, "w1")));
  CHECK(fast_p(alice, gpu.problems, 0) == Approx(3.0 / 6));
  CHECK(fast_p(alice, gpu.problems, 0.001) == Approx(2.0 / 6));
}

TEST_CASE("fast_p is strict, and its curve has a step at every speedup") {
  const report::Solved solved{
      {{"d", "a"}, 1.0}, {{"d", "b"}, 2.0}, {{"d", "c"}, 2.0}, {{"d", "e"}, std::nullopt}};
  CHECK(fast_p(solved, 10, 0) == Approx(0.4));
  CHECK(fast_p(solved, 10, 0.99) == Approx(0.3));
  CHECK(fast_p(solved, 10, 1) == Approx(0.2));
  CHECK(fast_p(solved, 10, 2) == 0);
  CHECK(fast_p({}, 0, 1) == 0);
  const auto curve = report::fast_p_curve(solved, 10);
  REQUIRE(curve.size() == 3);
  CHECK(curve[0] == std::pair(0.0, 0.3));
  CHECK(curve[1] == std::pair(1.0, 0.2));
  CHECK(curve[2] == std::pair(2.0, 0.0));
  CHECK(report::fast_p_curve({}, 10) == std::vector{std::pair(0.0, 0.0)});
}

TEST_CASE("a ranking is ordered by the score that is asked for") {
  const auto score = [](double average, double geomean) {
    dataset::Score result;
    result.avg_speedup = average;
    result.geomean_speedup = geomean;
    return result;
  };
  report::AuthorRanking ranking;
  ranking.rows = {{"a", score(3, 1)}, {"b", score(2, 2)}, {"c", score(2, 0)}};
  report::ProblemResults results;
  results.problems = 2;
  results.authors["c"] = {{{"d", "w"}, 0.5}, {{"d", "v"}, 0.5}};
  results.authors["b"] = {{{"d", "w"}, 1.5}};
  const auto order = [&](report::RankBy by) {
    std::string names;
    for (const auto& row : report::rank_rows(ranking, results, by)) names += row.author;
    return names;
  };
  CHECK(order(report::RankBy::avg_speedup) == "abc");
  CHECK(order(report::RankBy::geomean_speedup) == "bac");
  CHECK(order(report::RankBy::coverage) == "cba");
  CHECK(order(report::RankBy::fast_1) == "bac");
  const auto rows = report::rank_rows(ranking, results, report::RankBy::coverage);
  CHECK(rows[0].coverage == 1);
  CHECK(rows[0].fast_1 == 0);
  CHECK(rows[1].fast_1 == 0.5);
}
