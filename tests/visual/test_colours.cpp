#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "chart/theme.h"
#include "visual/colours.h"

using namespace fib;
using visual::colours_for;

TEST_CASE("the first ten solutions have colours of their own, which do not depend on their order") {
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) names.push_back("solution_" + std::to_string(i));
  const auto colours = colours_for(names);
  std::set<std::size_t> places;
  for (const auto& [name, place] : colours) places.insert(place);
  CHECK(places.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    CHECK((colours.at(names[i]) < chart::kColours) == (i < chart::kColours));
  std::reverse(names.begin(), names.begin() + 10);
  CHECK(colours_for(names) == colours);
}

TEST_CASE("a solution alone keeps its colour when others come that want another one") {
  const auto alone = colours_for({"scale_fast"}).at("scale_fast");
  CHECK(alone < chart::kColours);
  CHECK(colours_for({"scale_fast"}) == colours_for({"scale_fast"}));
  std::size_t kept = 0;
  for (int i = 0; i < 100; ++i)
    kept += colours_for({"other_" + std::to_string(i), "scale_fast"}).at("scale_fast") == alone ? 1U : 0U;
  CHECK(kept > 80);  // one of ten wants the same, and some of those come first in the alphabet
  CHECK(colours_for({}).empty());
}
