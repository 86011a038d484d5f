#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/errors.h"
#include "model/json_value.h"

using namespace fib::model;

namespace {

std::string rewritten(const std::string& text) {
  return json::dump(json::parse(text), json::Form::compact, json::NonFinite::strings);
}

}  // namespace

TEST_CASE("JSON texts are read and written back compactly") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"{}", "{}"},
      {" [ ] \n", "[]"},
      {"\t12\r\n", "12"},
      {"\"x\"", "\"x\""},
      {"null", "null"},
      {R"({ "a" : [ 1 , -2.50e+3 , true , false , null ] })", R"({"a":[1,-2.50e+3,true,false,null]})"},
      {R"({"a":1,"b":2,"a":3})", R"({"a":3,"b":2})"},
      {R"(["\u00e9\/\b\f\n\r\t\"\\\u0001"])", "[\"\xc3\xa9/\\b\\f\\n\\r\\t\\\"\\\\\\u0001\"]"},
      {R"(["\ud83d\ude00"])", "[\"\xf0\x9f\x98\x80\"]"},
      {R"(["\u0000"])", R"(["\u0000"])"},
      {"[\"\x7f\"]", "[\"\x7f\"]"},
      {"[123456789012345678901234567890, -0, 1e400]", "[123456789012345678901234567890,-0,1e400]"},
      {"[NaN, Infinity ,-Infinity]", R"(["NaN","Infinity","-Infinity"])"},
      {R"({"":{"":[]}})", R"({"":{"":[]}})"},
  }));
  INFO(text);
  CHECK(rewritten(text) == expected);
}

TEST_CASE("texts that are not JSON are refused") {
  const auto text =
      GENERATE(as<std::string>{}, "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "{'a':1}", "[1 2]",
               "[1]x", "{} {}", "1 2", "01", "-", "+1", "1.", ".5", "1e", "0x10", "nul", "True", "nan",
               "-NaN", "Infinityx", "\"abc", "\"a\nb\"", "\"\\x\"", "\"\\u12\"", R"(["\ud800"])",
               R"(["\udc00"])", R"(["\ud800\u0041"])", "\xef\xbb\xbf{}", "[\"\xff\"]", "[\"\xed\xa0\x80\"]",
               "[1] // comment", "/* */ [1]", std::string("\0", 1), std::string("[1]\0", 4), "[\"a\"b]",
               "{\"a\" 1}", "{\"a\":}", "{1:2}", "[,1]", "[1,,2]", "\"a\" \"b\"", "tru e");
  INFO(text);
  CHECK_THROWS_AS(json::parse(text), ParseError);
}

TEST_CASE("where a text stops to be JSON is said, and what is wrong there") {
  const auto error_of = [](std::string_view text) -> std::string {
    try {
      (void)json::parse(text);
    } catch (const ParseError& error) {
      return error.what();
    }
    return "none";
  };
  CHECK_THAT(error_of("{\n  \"a\": 1,\n  \"b\": [2, }\n}"),
             Catch::Contains("Invalid JSON: line 3, column 12: unexpected '}'"));
  CHECK_THAT(error_of("{\"a\": 1 \"b\": 2}"), Catch::Contains("Invalid JSON: column 11: unexpected string"));
  CHECK_THAT(error_of("{\"a\": tru\x1b}"),
             Catch::Contains("column 10: invalid literal") && !Catch::Contains("tru"));
  CHECK_THAT(error_of("{\"a\": 1"), Catch::Contains("column 7: unexpected end of input"));
  // These are read, so that the first fault is another one.
  for (const std::string number : {"NaN", "-Infinity", "1e999"})
    CHECK_THAT(error_of("{\"a\": " + number + ", \"b\" 1}"),
               Catch::Contains("Invalid JSON: ") && !Catch::Contains("column"));
}

TEST_CASE("nesting is limited, so that no depth overflows the stack") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(rewritten(nested(200)) == nested(200));
  CHECK_THROWS_AS(json::parse(nested(201)), ParseError);
  CHECK_THROWS_AS(json::parse(nested(1'000'000)), ParseError);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  CHECK_THROWS_AS(json::parse(objects), ParseError);
}

TEST_CASE("length and number of values are limited, so that no record takes all memory") {
  const json::Limits limits{.values = 4, .bytes = 9};
  CHECK_NOTHROW(json::parse("[1,22,33]", limits));
  CHECK_THROWS_WITH(json::parse("[1,22,333]", limits), Catch::Contains("more than 9 bytes"));
  CHECK_THROWS_WITH(json::parse("[1,2,3,4]", limits), Catch::Contains("more than 4 values"));
  CHECK_THROWS_WITH(json::parse("\"" + std::string(64UL << 20U, 'x') + "\""),
                    Catch::Contains("more than 67108864 bytes"));
}

TEST_CASE("an object with many members keeps the last of repeated ones in the first place") {
  std::string text = "{";
  for (int i = 0; i < 50; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  const json::Value value = json::parse(text + "\"k7\":1}");
  CHECK(value.members.size() == 50);
  CHECK(value.members[7].first == "k7");
  CHECK(value.members[7].second.text == "1");
}

TEST_CASE("the indented layout puts one item on a line") {
  const json::Value value = json::parse(R"({"a":[1,{"b":[]}],"c":{}})");
  CHECK(json::dump(value, json::Form::indented, json::NonFinite::strings) ==
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {}\n}");
}

TEST_CASE("floats are written with the shortest digits in the format's notation") {
  const auto [value, expected] = GENERATE(table<double, std::string>({
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {-2.5, "-2.5"},
      {0.1, "0.1"},
      {123.456, "123.456"},
      {1e-5, "0.00001"},
      {1.25e-5, "0.0000125"},
      {9.9e-6, "9.9e-6"},
      {1e-7, "1e-7"},
      {1e15, "1000000000000000.0"},
      {1234567890123456.0, "1234567890123456.0"},
      {1e16, "1e+16"},
      {1.5e16, "1.5e+16"},
      {1e22, "1e+22"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {5e-324, "5e-324"},
      {0.08838834764831843, "0.08838834764831843"},
      {HUGE_VAL, "Infinity"},
      {-HUGE_VAL, "-Infinity"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
  }));
  CHECK(json::format_double(value) == expected);
}

TEST_CASE("non-finite numbers are written as strings or as null") {
  const json::Value value = json::parse("[NaN,-Infinity]");
  CHECK(json::dump(value, json::Form::compact, json::NonFinite::strings) == R"(["NaN","-Infinity"])");
  CHECK(json::dump(value, json::Form::compact, json::NonFinite::null) == "[null,null]");
}

TEST_CASE("trees of the library come and go unchanged") {
  const std::string text = R"({"z":1,"a":[-5,18446744073709551615,0.5,"x",true,null],"o":{}})";
  const auto tree = json::to_tree(json::parse(text));
  CHECK(tree.at("z") == 1);
  CHECK(json::dump(json::from_tree(tree), json::Form::compact, json::NonFinite::strings) == text);
  CHECK(json::to_tree(json::parse("1e400")).get<double>() == HUGE_VAL);
  CHECK(json::to_tree(json::parse("100000000000000000000")).get<double>() == 1e20);
}

TEST_CASE("a string of 5 MiB is read and written") {
  const std::string text = "\"" + std::string(5 << 20, 'x') + "\"";
  CHECK(rewritten(text) == text);
}

TEST_CASE("only a whole object is object text") {
  CHECK(json::is_object_text("{\"a\":1}"));
  CHECK(json::is_object_text(" {} \r"));
  for (const char* text : {"", "1", "[]", "{", "{}}", "null"}) CHECK_FALSE(json::is_object_text(text));
}
