#include <catch2/catch.hpp>

#include "util/median.h"

using fib::util::median_of;

TEST_CASE("the median is the value in the middle, or the mean of two") {
  CHECK(median_of({3}) == 3);
  CHECK(median_of({9, 1, 2}) == 2);
  CHECK(median_of({4, 1, 2, 9}) == 3);
}
