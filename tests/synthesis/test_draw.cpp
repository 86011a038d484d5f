#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>

#include "synthesis/draw.h"

using namespace fib::synthesis;

TEST_CASE("draws are the same for the same seed and name, and others for others") {
  const auto five = [](const char* seed, const char* name) {
    Draw draw(seed, name);
    Integers numbers;
    for (int i = 0; i < 5; ++i) numbers.push_back(draw.below(1000));
    return numbers;
  };
  CHECK(five("s", "n") == five("s", "n"));
  CHECK(five("s", "n") != five("s", "m"));
  CHECK(five("s", "n") != five("t", "n"));
  // The recipe: it must not change, for workloads are known by their seeds.
  CHECK(five("s", "n") == Integers{38, 150, 633, 790, 470});
}

TEST_CASE("draws keep their range and reach all of it") {
  Draw draw("s", "n");
  std::map<std::int64_t, int> seen;
  for (int i = 0; i < 3000; ++i) ++seen[draw.between(-1, 1)];
  REQUIRE(seen.size() == 3);
  for (const auto& [number, times] : seen) {
    CHECK((number >= -1 && number <= 1));
    CHECK((times > 850 && times < 1150));
  }
  CHECK(draw.between(4, 4) == 4);
  CHECK(draw.between(4, 3) == 4);
}

TEST_CASE("distinct numbers, and rounds of them where there are not enough") {
  Draw draw("s", "n");
  const Integers all = distinct(draw, 50, 50);
  CHECK(std::set<std::int64_t>(all.begin(), all.end()).size() == 50);
  CHECK(*std::min_element(all.begin(), all.end()) == 0);
  CHECK(*std::max_element(all.begin(), all.end()) == 49);
  CHECK_FALSE(std::is_sorted(all.begin(), all.end()));
  const Integers few = distinct(draw, 3, std::int64_t{1} << 40);
  CHECK(std::set<std::int64_t>(few.begin(), few.end()).size() == 3);
  const Integers rounds = distinct(draw, 10, 4);
  REQUIRE(rounds.size() == 10);
  for (std::size_t i = 0; i + 4 <= rounds.size(); ++i) {
    CHECK(std::set<std::int64_t>(rounds.begin() + static_cast<std::ptrdiff_t>(i),
                                 rounds.begin() + static_cast<std::ptrdiff_t>(i + 4))
              .size() == 4);
  }
  CHECK(distinct(draw, 0, 0).empty());
}

TEST_CASE("parts sum to their total, keep their least sizes and are uneven") {
  Draw draw("s", "n");
  const Integers least = {1, 5, 1, 20};
  const Integers sizes = parts(draw, 100, least);
  REQUIRE(sizes.size() == 4);
  CHECK(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) == 100);
  for (std::size_t i = 0; i < 4; ++i) CHECK(sizes[i] >= least[i]);
  CHECK(std::set<std::int64_t>(sizes.begin(), sizes.end()).size() > 1);
  CHECK(parts(draw, 27, least) == least);
  CHECK(parts(draw, 0, {}).empty());
  CHECK(parts(draw, 9, {0}) == Integers{9});
}
