#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "util/arena.h"

using fib::util::Arena;

TEST_CASE("stretches of an arena are aligned and lie beside each other") {
  Arena arena(1000, 256);  // three units
  CHECK(arena.take(1) == 0);
  CHECK(arena.take(256) == 256);
  CHECK(arena.take(0) == 512);
  CHECK_FALSE(arena.take(1).has_value());
}

TEST_CASE("an arena that is smaller than its alignment has nothing to give") {
  Arena arena(255, 256);
  CHECK_FALSE(arena.take(1).has_value());
}

TEST_CASE("what was given back is one gap again, in whatever order") {
  for (const std::vector<std::uint64_t>& order :
       {std::vector<std::uint64_t>{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    Arena arena(768, 256);
    for (int i = 0; i < 3; ++i) REQUIRE(arena.take(256).has_value());
    for (const std::uint64_t unit : order) arena.give_back(256 * unit);
    CHECK(arena.take(768) == 0);
  }
}

TEST_CASE("a stretch that is too large waits for a gap of its size") {
  Arena arena(1024, 256);
  for (int i = 0; i < 4; ++i) REQUIRE(arena.take(256).has_value());
  arena.give_back(0);
  arena.give_back(512);
  CHECK_FALSE(arena.take(512).has_value());
  arena.give_back(256);
  CHECK(arena.take(512) == 0);
  arena.give_back(100);  // nothing was given there
  CHECK(arena.take(256) == 512);
  CHECK_FALSE(arena.take(1).has_value());
}

TEST_CASE("no two stretches of an arena overlap") {
  Arena arena(std::uint64_t{1} << 20U, 256);
  std::mt19937 random(1);  // NOLINT: the same numbers in every run
  std::map<std::uint64_t, std::uint64_t> taken;
  for (int step = 0; step < 5000; ++step) {
    if (random() % 5 < 3) {
      const std::uint64_t bytes = 1 + random() % 100000;
      const auto offset = arena.take(bytes);
      if (!offset) continue;
      const auto after = taken.lower_bound(*offset);
      REQUIRE((after == taken.end() || *offset + bytes <= after->first));
      REQUIRE((after == taken.begin() || std::prev(after)->first + std::prev(after)->second <= *offset));
      REQUIRE(*offset + bytes <= std::uint64_t{1} << 20U);
      taken.emplace(*offset, bytes);
    } else if (!taken.empty()) {
      const auto any = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
      arena.give_back(any->first);
      taken.erase(any);
    }
  }
  for (const auto& [offset, bytes] : taken) arena.give_back(offset);
  CHECK(arena.take(std::uint64_t{1} << 20U) == 0);
}
