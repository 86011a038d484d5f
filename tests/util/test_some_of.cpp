#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "util/some_of.h"

using fib::util::and_more;
using fib::util::some_of;

TEST_CASE("of many names the first are told, and how many more there are") {
  const std::vector<std::string> names{"a", "b", "c", "d", "e"};
  CHECK(some_of(names) == "a, b, c and 2 more");
  CHECK(some_of(names, "solution") == "a, b, c and 2 more solutions");
  CHECK(some_of(names, "solution", 4) == "a, b, c, d and 1 more solution");
  CHECK(some_of(names, "", 5) == "a, b, c, d, e");
  CHECK(some_of(std::set<std::string>{"b", "a"}) == "a, b");
  CHECK(some_of(std::vector<std::string>{}).empty());
  CHECK(and_more(3, 3).empty());
  CHECK(and_more(4, 3) == "and 1 more");
}
