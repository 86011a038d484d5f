#include <catch2/catch.hpp>
#include <cmath>

#include "model/coerce.h"

using namespace fib::model;

TEST_CASE("values that are integers") {
  const auto [text, expected] = GENERATE(table<std::string, std::int64_t>({
      {"8", 8},
      {"8.0", 8},
      {"8e2", 800},
      {"-0", 0},
      {"true", 1},
      {"false", 0},
      {"\"8\"", 8},
      {"\" 8 \"", 8},
      {"\"+8\"", 8},
      {"\"-08\"", -8},
      {"\"8.00\"", 8},
      {"\"1_000\"", 1000},
      {"9223372036854775807", 9223372036854775807},
  }));
  INFO(text);
  const auto integer = coerce_integer(json::parse(text)).value;
  REQUIRE(integer);
  CHECK(integer->fits());
  CHECK(integer->value == expected);
}

TEST_CASE("values that are no integers") {
  const auto text = GENERATE(as<std::string>{}, "8.5", "null", "[]", "{}", "\"x\"", "\"\"", "\"8.5\"",
                             "\"0x8\"", "\"1__0\"", "\"_1\"", "\"1e3\"", "\"- 8\"", "\"+-8\"", "NaN",
                             "Infinity", "1e400", "1e20", "\".0\"");
  INFO(text);
  const auto integer = coerce_integer(json::parse(text));
  CHECK_FALSE(integer.value);
  CHECK_FALSE(integer.error.empty());
}

TEST_CASE("integers beyond 64 bits keep their digits") {
  for (const std::string digits : {"9223372036854775808", "-9223372036854775809", "100000000000000000000"}) {
    for (const std::string& text : {digits, "\"" + digits + "\""}) {
      const auto integer = coerce_integer(json::parse(text)).value;
      REQUIRE(integer);
      CHECK(integer->digits == digits);
      CHECK((integer->value > 0) == (digits[0] != '-'));
    }
  }
}

TEST_CASE("values that are numbers") {
  const auto [text, expected] = GENERATE(table<std::string, double>({
      {"8", 8},
      {"-0.5", -0.5},
      {"1e400", HUGE_VAL},
      {"-Infinity", -HUGE_VAL},
      {"1e-400", 0},
      {"true", 1},
      {"\"2.5\"", 2.5},
      {"\" 2.5 \"", 2.5},
      {"\"5.\"", 5},
      {"\".5\"", 0.5},
      {"\"1_0.5\"", 10.5},
      {"\"+1e3\"", 1000},
      {"\"inf\"", HUGE_VAL},
      {"\"+INF\"", HUGE_VAL},
      {"\"-infinity\"", -HUGE_VAL},
      {"\"Infinity\"", HUGE_VAL},
      {"\"1e400\"", HUGE_VAL},
  }));
  INFO(text);
  CHECK(coerce_double(json::parse(text)).value == expected);
}

TEST_CASE("NaN is a number in all its spellings") {
  for (const char* text : {"NaN", "\"NaN\"", "\"nan\"", "\"-nan\"", "\"NAN\""}) {
    const auto number = coerce_double(json::parse(text)).value;
    REQUIRE(number);
    CHECK(std::isnan(*number));
  }
}

TEST_CASE("values that are no numbers") {
  const auto text = GENERATE(as<std::string>{}, "null", "[]", "\"x\"", "\"\"", "\" \"", "\"0x1p3\"", "\"1e\"",
                             "\"1.2.3\"", "\"nan(1)\"", "\"infin\"", "\".\"", "\"1 2\"");
  INFO(text);
  CHECK_FALSE(coerce_double(json::parse(text)).value);
}

TEST_CASE("values that are booleans, and those that are none") {
  for (const char* yes : {"true", "1", "1.0", "\"true\"", "\"YES\"", "\"on\"", "\"1\"", "\"t\"", "\"y\""}) {
    CHECK(coerce_boolean(json::parse(yes)).value == true);
  }
  for (const char* off : {"false", "0", "-0", "\"False\"", "\"no\"", "\"off\"", "\"0\"", "\"f\"", "\"n\""}) {
    CHECK(coerce_boolean(json::parse(off)).value == false);
  }
  for (const char* none : {"2", "0.5", "null", "[]", "\"\"", "\"maybe\"", "\" yes\"", "NaN"}) {
    CHECK_FALSE(coerce_boolean(json::parse(none)).value);
  }
}

TEST_CASE("scalars keep their type, and strings take the first that fits") {
  const auto read = [](const char* text) { return coerce_scalar(json::parse(text)).value; };
  CHECK(read("5") == AnyScalar(Integer(5)));
  CHECK(read("5.0") == AnyScalar(5.0));
  CHECK(read("1e2") == AnyScalar(100.0));
  CHECK(read("Infinity") == AnyScalar(HUGE_VAL));
  CHECK(read("true") == AnyScalar(true));
  CHECK(read("\"5\"") == AnyScalar(Integer(5)));
  CHECK(read("\"1.5\"") == AnyScalar(1.5));
  CHECK(read("\"true\"") == AnyScalar(true));
  for (const char* none : {"null", "[]", "{}", "\"abc\""}) CHECK_FALSE(read(none));
}
