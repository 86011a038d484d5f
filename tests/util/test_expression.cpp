#include <catch2/catch.hpp>

#include "util/error.h"
#include "util/expression.h"

using fib::util::Expression;

namespace {

std::int64_t value_of(const std::string& text) {
  return Expression::parse(text).evaluate({{"n", 1000}, {"batch_size", 3}});
}

std::string error_of(const std::string& text) {
  try {
    return std::to_string(value_of(text));
  } catch (const fib::Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("expressions follow the usual precedence") {
  CHECK(value_of("7") == 7);
  CHECK(value_of(" 1 + 2*3 ") == 7);
  CHECK(value_of("(1+2)*3") == 9);
  CHECK(value_of("10 - 4 - 3") == 3);
  CHECK(value_of("100 / 7 % 5") == 4);
  CHECK(value_of("-n + 1") == -999);
  CHECK(value_of("2 - -3") == 5);
  CHECK(value_of("-7 / 2") == -3);
  CHECK(value_of("-7 % 4") == -3);
}

TEST_CASE("functions") {
  CHECK(value_of("ceil_div(n, 256)") == 4);
  CHECK(value_of("ceil_div(1024, 256)") == 4);
  CHECK(value_of("ceil_div(-7, 2)") == -3);
  CHECK(value_of("4 * ceil_div(batch_size, 2) + min(n, 5) - max(n, 5)") == 8 + 5 - 1000);
}

TEST_CASE("an expression knows its names") {
  CHECK(Expression::parse("a * (b + a) - min(c, 1)").names() == std::set<std::string>{"a", "b", "c"});
}

TEST_CASE("what is wrong is said with its place") {
  CHECK(error_of("1 +") == "expression \"1 +\": expected a number, a name or \"(\" at position 4");
  CHECK(error_of("1 2") == "expression \"1 2\": expected an operator at position 3");
  CHECK(error_of("(1") == "expression \"(1\": expected \")\" at position 3");
  CHECK(error_of("log(n, 2)") == "expression \"log(n, 2)\": expected min, max or ceil_div at position 1");
  CHECK(error_of("12x") == "expression \"12x\": expected a whole number of 64 bits at position 1");
  CHECK(error_of("m") == "expression \"m\": \"m\" has no value");
  CHECK(error_of("n / (n - 1000)") == "expression \"n / (n - 1000)\": division by zero");
  CHECK(error_of("9223372036854775807 + n") ==
        "expression \"9223372036854775807 + n\": the result does not fit 64 bits");
  CHECK(error_of("(-9223372036854775807 - 1) / -1").find("does not fit") != std::string::npos);
  CHECK(error_of(std::string(1000, '(')).find("less nesting") != std::string::npos);
  CHECK(error_of(std::string(1000, '-')).find("less nesting") != std::string::npos);
}

TEST_CASE("an expression that would take all of the stack is refused") {
  std::string chain = "1";
  while (chain.size() < 4000) chain += "+1";
  CHECK(Expression::parse(chain).evaluate({}) == 2001);
  CHECK_THROWS_WITH(Expression::parse(chain + std::string(97, ' ')), Catch::Contains("4096 at most"));
}
