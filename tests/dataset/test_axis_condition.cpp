#include <catch2/catch.hpp>
#include <map>

#include "dataset/axis_condition.h"

using namespace fib;
using dataset::AxisCondition;

namespace {

bool holds(const std::string& text, const std::map<std::string, std::int64_t>& sizes) {
  return AxisCondition(text).holds([&](const std::string& axis) -> std::optional<std::int64_t> {
    const auto found = sizes.find(axis);
    return found != sizes.end() ? std::optional(found->second) : std::nullopt;
  });
}

}  // namespace

TEST_CASE("an axis is compared with a whole number, in six ways") {
  for (const auto& [text, below, equal, above] :
       std::vector<std::tuple<const char*, bool, bool, bool>>{{"n==64", false, true, false},
                                                              {"n=64", false, true, false},
                                                              {"n!=64", true, false, true},
                                                              {"n<64", true, false, false},
                                                              {"n<=64", true, true, false},
                                                              {"n>64", false, false, true},
                                                              {" n >= 64 ", false, true, true}}) {
    INFO(text);
    CHECK(holds(text, {{"n", 63}}) == below);
    CHECK(holds(text, {{"n", 64}}) == equal);
    CHECK(holds(text, {{"n", 65}}) == above);
    CHECK_FALSE(holds(text, {{"m", 64}}));
  }
  CHECK(holds("n==-1", {{"n", -1}}));
}

TEST_CASE("comparisons joined by \"and\" hold together") {
  const std::string text = "band>=2 and n<10\tand n!=5";
  CHECK(holds(text, {{"band", 2}, {"n", 4}}));
  CHECK_FALSE(holds(text, {{"band", 1}, {"n", 4}}));
  CHECK_FALSE(holds(text, {{"band", 2}, {"n", 5}}));
  CHECK_FALSE(holds(text, {{"n", 4}}));
  CHECK(AxisCondition(text).axes() == std::vector<std::string>{"band", "n", "n"});
}

TEST_CASE("what is no condition is refused in one sentence") {
  for (const char* text : {"", "n", "n>", ">4", "n>x", "n>4.5", "n=>4", "n>4 and", "and n>4", "n>4 or m>4",
                           "n m>4", "n>4 and  and m>4", "n>99999999999999999999", "4<n<8", "n>4andm>4"}) {
    INFO(text);
    CHECK_THROWS_WITH(AxisCondition(text), Catch::Contains("is no condition; write an axis, one of"));
  }
}
