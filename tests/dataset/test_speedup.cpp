#include <catch2/catch.hpp>

#include "dataset/speedup.h"

using namespace fib::dataset;
using Ranks = std::vector<std::optional<std::size_t>>;

TEST_CASE("a range is wide when it is more than a tenth of its speedup") {
  CHECK(is_wide(SpeedupRange{9.4, 10.5}, 10));
  CHECK_FALSE(is_wide(SpeedupRange{9.6, 10.5}, 10));
  CHECK_FALSE(is_wide(std::nullopt, 10));
  CHECK_FALSE(is_wide(SpeedupRange{0, 1}, 0));
}

TEST_CASE("the mean of speedups has a range when one of them has") {
  MeanSpeedup mean;
  CHECK_FALSE(mean.mean());
  CHECK_FALSE(mean.geometric_range());
  mean.add(2, std::nullopt);
  CHECK(mean.mean() == 2.0);
  CHECK_FALSE(mean.range());
  mean.add(8, SpeedupRange{4.5, 12.5});
  CHECK(mean.count() == 2);
  CHECK(mean.mean() == 5.0);
  CHECK(mean.range()->low == 3.25);
  CHECK(mean.range()->high == 7.25);
  CHECK(*mean.geometric_mean() == Approx(4));
  CHECK(mean.geometric_range()->low == Approx(3));
  CHECK(mean.geometric_range()->high == Approx(5));
}

TEST_CASE("speedups whose wide ranges overlap share a rank; narrow ones are ranked by their numbers") {
  const RangedSpeedup leader{40, SpeedupRange{31, 44}};
  CHECK(ranks_of({leader, {35, SpeedupRange{28, 38}}, {30, SpeedupRange{29, 30.5}}}) == Ranks{1, 1, 3});
  CHECK(ranks_of({leader, {32, std::nullopt}, {30, std::nullopt}}) == Ranks{1, 1, 3});
  CHECK(ranks_of({{10, SpeedupRange{9.8, 10.2}}, {9.9, SpeedupRange{9.7, 10.1}}}) == Ranks{1, 2});
  CHECK(ranks_of({{10, std::nullopt}, {10, std::nullopt}, {0, std::nullopt}}) == Ranks{1, 1, 3});
  CHECK(ranks_of({{9, std::nullopt, false}, {0, std::nullopt}, {0, std::nullopt, false}}) ==
        Ranks{std::nullopt, 2, std::nullopt});
  CHECK(ranks_of({}).empty());
}
