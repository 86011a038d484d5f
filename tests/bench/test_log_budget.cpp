#include <catch2/catch.hpp>

#include "bench/log_budget.h"

using namespace fib;
using bench::LogBudget;

TEST_CASE("a long log keeps its beginning and its end, in whole characters") {
  CHECK(bench::cut_log("", 0).empty());
  CHECK(bench::cut_log("abcdef", 6) == "abcdef");
  CHECK(bench::cut_log("abcdef", 4) == "ab\n\n[log truncated: 2 bytes are left out here]\n\nef");
  CHECK(bench::cut_log("abcdef", 5) == "abc\n\n[log truncated: 1 bytes are left out here]\n\nef");
  CHECK(bench::cut_log("aéééé", 4) == "a\n\n[log truncated: 6 bytes are left out here]\n\né");
  CHECK(bench::cut_log("ééééa", 4) == "é\n\n[log truncated: 6 bytes are left out here]\n\na");
}

TEST_CASE("long logs of a solution, and of a run, share what is kept; of each some is") {
  LogBudget budget;
  const model::Solution one;
  CHECK(budget.take(one, 100) == 100);
  CHECK(budget.take(one, LogBudget::kOfSolution + 1) == LogBudget::kOfSolution);
  CHECK(budget.take(one, LogBudget::kOfSolution) == LogBudget::kLeast);
  CHECK(budget.take(one, 100) == 100);

  const std::vector<model::Solution> others(LogBudget::kOfRun / LogBudget::kOfSolution + 1);
  std::size_t all = LogBudget::kOfSolution;
  std::size_t least = 0;
  for (const auto& other : others) {
    const std::size_t kept = budget.take(other, LogBudget::kOfSolution);
    (kept == LogBudget::kLeast ? least : all) += kept;
  }
  CHECK(all == LogBudget::kOfRun);
  CHECK(least == LogBudget::kLeast);
}

TEST_CASE("the log of a build is whole in the first trace that has it") {
  LogBudget budget;
  const std::vector<model::Solution> solutions(2);
  for (const auto& solution : solutions) {
    CHECK(budget.take_of_build(solution, 100'000) == 100'000);
    CHECK(budget.take_of_build(solution, 100'000) == LogBudget::kLeast);
    CHECK(budget.take_of_build(solution, 100) == 100);
  }
}
