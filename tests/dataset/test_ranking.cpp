#include <catch2/catch.hpp>

#include "dataset/ranking.h"

using fib::dataset::Contest;

TEST_CASE("solutions that passed every workload are ranked by the geometric mean of their latencies") {
  Contest contest;
  contest.add("b", "w1", {true, 2});
  contest.add("b", "w2", {true, 8});
  contest.add("a", "w1", {true, 1});
  contest.add("a", "w2", {true, 9});
  const auto ranking = contest.ranking();
  REQUIRE(ranking.size() == 2);
  CHECK(ranking[0].solution == "a");
  CHECK(ranking[0].rank == 1U);
  CHECK(ranking[0].latency_ms == Approx(3));
  CHECK(ranking[1].rank == 2U);
  CHECK(ranking[1].latency_ms == Approx(4));
}

TEST_CASE("a solution without a result on a workload that another one has, or with a failure, has no rank") {
  Contest contest;
  contest.add("whole", "w1", {true, 5});
  contest.add("whole", "w2", {true, 5});
  contest.add("fast", "w1", {true, 1});
  contest.add("failing", "w1", {true, 1});
  contest.add("failing", "w2", {false});
  contest.add("untimed", "w1", {true, 0});
  contest.add("untimed", "w2", {true, 1});
  const auto ranking = contest.ranking();
  REQUIRE(ranking.size() == 4);
  CHECK(ranking[0].solution == "whole");
  CHECK(ranking[0].rank == 1U);
  CHECK(ranking[1].solution == "untimed");  // passed two
  for (std::size_t i = 1; i < 4; ++i) CHECK_FALSE(ranking[i].rank);
  CHECK(ranking[2].solution == "failing");
  CHECK(ranking[2].passed == 1);
  CHECK(ranking[2].workloads == 2);
  CHECK(ranking[3].solution == "fast");
}

TEST_CASE("solutions whose intervals overlap with the first of a rank share it") {
  Contest contest;
  contest.add("a", "w", {true, 100, 0.02});
  contest.add("b", "w", {true, 103, 0.02});    // from 100.98: below 102
  contest.add("c", "w", {true, 104.5, 0.02});  // overlaps with b, not with a
  contest.add("d", "w", {true, 200});
  const auto ranking = contest.ranking();
  REQUIRE(ranking.size() == 4);
  CHECK(ranking[0].rank == 1U);
  CHECK(ranking[1].rank == 1U);
  CHECK(ranking[2].solution == "c");
  CHECK(ranking[2].rank == 3U);
  CHECK(ranking[3].rank == 4U);
}

TEST_CASE("of several results on one workload all have to pass") {
  Contest contest;
  contest.add("a", "w", {false});
  contest.add("a", "w", {true, 1});
  CHECK(contest.ranking().at(0).passed == 0);
  CHECK(Contest().ranking().empty());
}

TEST_CASE("a latency that another run may read as nearly nothing cannot be told apart from lower ones") {
  Contest contest;
  contest.add("sure", "w", {true, 1, 0.1});
  contest.add("disturbed", "w", {true, 3, 1.4});  // 0 to 7.2
  contest.add("slow", "w", {true, 3.5, 0.5});
  const auto ranking = contest.ranking();
  REQUIRE(ranking.size() == 3);
  CHECK(ranking[1].solution == "disturbed");
  CHECK(ranking[1].rank == 1U);
  CHECK(ranking[2].rank == 3U);
}
