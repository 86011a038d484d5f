#include <catch2/catch.hpp>

#include "pack/toml_read.h"
#include "pack/toml_write.h"

using namespace fib;
namespace json = model::json;

namespace {

std::string compact(const json::Value& value) {
  return json::dump(value, json::Form::compact, json::NonFinite::strings);
}

std::string read(const std::string& text) { return compact(pack::parse_toml(text, "c.toml", {"a"}).root); }

}  // namespace

TEST_CASE("a TOML table becomes an object in the document's order") {
  CHECK(read("[a]\nz = 1\nb = 'x'\na = [true, 2.5, {q = 1, p = 2}]\n") ==
        R"({"a":{"z":1,"b":"x","a":[true,2.5,{"q":1,"p":2}]}})");
  CHECK(read("a.z.y = 1\na.b = 2\na.z.x = 3\n") == R"({"a":{"z":{"y":1,"x":3},"b":2}})");
  CHECK(read("[[a]]\nz = 1\n[[a]]\ny = 2\n") == R"({"a":[{"z":1},{"y":2}]})");
}

TEST_CASE("other tables are left alone, whatever they hold") {
  CHECK(read("[a]\nb = 1\n[c]\nwhen = 2024-01-01\nx = nan\n") == R"({"a":{"b":1}})");
}

TEST_CASE("what is no TOML is one sentence with file and line") {
  CHECK_THROWS_WITH(read("[a]\nb = \n"), Catch::StartsWith("c.toml:2: ") && !Catch::Contains("\n"));
  CHECK_THROWS_WITH(read("[a]\nb = 1\nb = 2\n"), Catch::StartsWith("c.toml:3: ") && Catch::Contains("'b'"));
  CHECK_THROWS_WITH(read("[a]\nb = \"\xff\"\n"), Catch::StartsWith("c.toml:2: ") && Catch::Contains("utf-8"));
  CHECK_THROWS_WITH(read("[a]\nb = 99999999999999999999\n"), Catch::StartsWith("c.toml:2: "));
}

TEST_CASE("what JSON cannot hold is refused with its line") {
  CHECK_THROWS_WITH(read("[a]\nb = 2024-01-01\n"),
                    "c.toml:2: a date or time has no place in a solution; write it as a string");
  CHECK_THROWS_WITH(read("[a]\n\nb = [1, {c = 10:00:00}]\n"), Catch::StartsWith("c.toml:3: a date or time"));
  CHECK_THROWS_WITH(read("[a]\nb = -inf\n"), Catch::StartsWith("c.toml:2: a number that is not finite"));
}

TEST_CASE("errors name the line of the key, or of the nearest table around it") {
  const auto document = pack::parse_toml("[a]\nb = 1\n[a.c]\nd = 1\n", "c.toml", {"a"});
  CHECK(std::string(document.error("a.b", "m").what()) == "c.toml:2: m");
  CHECK(std::string(document.error("a.c.d", "m").what()) == "c.toml:4: m");
  CHECK(std::string(document.error("a.c.e.f", "m").what()) == "c.toml:3: m");
  CHECK(std::string(document.error("a.x", "m").what()) == "c.toml:1: m");
  CHECK(std::string(document.error("x.y", "m").what()) == "c.toml: m");
  CHECK(document.find("a.c.d")->text == "1");
  CHECK(document.find("a.c.x") == nullptr);
  CHECK(document.find("a.b.x") == nullptr);
}

TEST_CASE("values that are written come back as the same values") {
  for (const std::string text :
       {R"("x")",
        R"("")",
        R"("a\"b\\c'd")",
        R"("two\nlines")",
        R"("two\nlines\n")",
        R"("\n\nfirst")",
        R"("quotes\n'''\n")",
        R"("quote\n'")",
        R"("cr\r\nlf")",
        R"("tab\tand\nline")",
        R"("\u0000\u0001\b\f\u001f")",
        "\"\x7f\"",
        "\"\x7f\\n\"",
        "\"\xc3\xa9\\n\xe2\x80\xa8\xef\xbb\xbf\xef\xbf\xbe\xf4\x8f\xbf\xbf\xc2\x85\"",
        "true",
        "false",
        "0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "0.5",
        "-0.0",
        "1.0",
        "1e+16",
        "5e-324",
        "0.00001",
        "[]",
        "{}",
        "[1,2]",
        R"([[],[1,["x\ny"]]])",
        R"([{"b":1,"a":{}},{"c":["x",{"d":[]}]}])",
        R"({"z":1,"":2,"a b":{"q.r":[{}]},"\u0000":"\n"})",
        R"([1,"x",true,[]])"}) {
    INFO(text);
    const json::Value value = json::parse(text);
    const auto toml = pack::to_toml(value);
    REQUIRE(toml);
    INFO(*toml);
    const auto document = pack::parse_toml("[a]\nb = " + *toml + "\nc = 1\n", "c.toml", {"a"});
    CHECK(compact(*document.find("a.b")) == compact(value));
    CHECK(document.find("a.c")->text == "1");
  }
}

TEST_CASE("what TOML cannot hold as it is written is not written") {
  for (const std::string text : {"null", "[null]", R"({"a":[{"b":null}]})", "9223372036854775808", "-0",
                                 "1.50", "1E5", "1e5", "1e400", "NaN", "Infinity", "[1,-Infinity]"}) {
    INFO(text);
    CHECK_FALSE(pack::to_toml(json::parse(text)));
  }
}

TEST_CASE("TOML is written to be read") {
  CHECK(pack::to_toml(json::parse(R"("a\nb\n")")) == "'''\na\nb\n'''");
  CHECK(pack::to_toml(json::parse(R"(["a","b"])")) == R"(["a", "b"])");
  CHECK(pack::to_toml(json::parse(R"([{"a":["b"]},{}])")) == "[\n  { a = [\"b\"] },\n  {}\n]");
  CHECK(pack::toml_key("a_b-1") == "a_b-1");
  CHECK(pack::toml_key("a b") == "\"a b\"");
  CHECK(pack::toml_key("") == "\"\"");
}

TEST_CASE("a key of very many parts is refused before it is read") {
  std::string key = "a";
  for (int i = 0; i < 200'000; ++i) key += ".a";
  CHECK_THROWS_WITH(pack::parse_toml("x = 1\n" + key + " = 1\n", "config.toml", {"a"}),
                    Catch::StartsWith("config.toml: it has more than 10000 dots"));
  std::string long_key = "a";
  for (int i = 0; i < 500; ++i) long_key += "." + std::string(10, 'b');
  CHECK_THROWS_WITH(pack::parse_toml(long_key + " = 1\n", "config.toml", {"a"}),
                    "config.toml:1: a key of more than 4096 characters is not read");
  std::string nested = "x = ";
  for (int i = 0; i < 100; ++i)
    nested += "[\n{" + std::string(200, 'a').replace(1, 199, [] {
      std::string dots;
      for (int j = 0; j < 199; ++j) dots += ".a";
      return dots;
    }()) + " = ";
  CHECK_THROWS_WITH(pack::parse_toml(nested, "config.toml", {"a"}), Catch::Contains("more than 10000 dots"));
}

TEST_CASE("a table of very many keys is refused") {
  std::string text = "[a]\n";
  for (int i = 0; i < 10'000; ++i) text += "k" + std::to_string(i) + " = 1\n";
  CHECK_THROWS_WITH(pack::parse_toml(text, "config.toml", {"a"}),
                    "config.toml:10001: more than 10000 keys are not read");
}
