#include <catch2/catch.hpp>
#include <limits>
#include <sstream>
#include <vector>

#include "present/document.h"
#include "present/table.h"
#include "present/text.h"

using namespace fib::present;
namespace json = fib::model::json;

namespace {

Table sample() {
  Table table;
  table.columns = {text_column("Name", "name"), number_column("Avg Speedup", "avg_speedup"),
                   only_for(Audience::programs, number_column("Passed", "passed")),
                   only_for(Audience::people, number_column("Done", ""))};
  table.rows = {
      {text_cell("alice"), number_cell(1.0 / 3, "0.3333"), count_cell(1), {"1/2", json::make_null()}},
      {text_cell("b"), no_cell(), count_cell(12), {"12/12", json::make_null()}}};
  return table;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

}  // namespace

TEST_CASE("a table as text has a rule, numbers to the right and no trailing spaces") {
  CHECK(to_text(sample(), {}) ==
        "Name   Avg Speedup   Done\n"
        "-------------------------\n"
        "alice       0.3333    1/2\n"
        "b                -  12/12\n");
}

TEST_CASE("where there is no terminal no cell is cut, and a very long one does not widen the others' lines") {
  Table table;
  table.columns = {name_column("Name", "name"), text_column("Text", "text")};
  const std::string longest(1000, 'x');
  table.rows = {{text_cell("a"), text_cell("b")}, {text_cell(longest), text_cell("c")}};
  std::istringstream lines(to_text(table, {}));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  REQUIRE(all.size() == 4);
  CHECK(all[2] == "a" + std::string(401, ' ') + "b");
  CHECK(all[3] == longest + "  c");
}

TEST_CASE("bold is written only when asked for") {
  CHECK(to_text(sample(), {0, true}).substr(0, 8) == "\x1b[1mName");
  CHECK(to_text(sample(), {0, false}).find('\x1b') == std::string::npos);
}

TEST_CASE("the groups of a table stand in lines of their own") {
  Table table;
  table.columns = {text_column("Definition", "definition"), text_column("Solution", "solution")};
  table.grouped = true;
  table.rows = {{text_cell("d1"), text_cell("s1")},
                {text_cell("d1"), text_cell("s2")},
                {text_cell("d2"), text_cell("s3")}};
  CHECK(to_text(table, {}) == "  Solution\n----------\nd1\n  s1\n  s2\nd2\n  s3\n");
  CHECK(to_csv(table) == "definition,solution\nd1,s1\nd1,s2\nd2,s3\n");
}

TEST_CASE("a table that is too wide first breaks its headers, then cuts ids, then the widest text") {
  Table table;
  table.columns = {text_column("Name", "name"), identity_column("Workload", "workload"),
                   number_column("Latency (ms)", "latency_ms")};
  table.rows = {
      {text_cell("a_solution_with_a_long_name"), text_cell("1dbd40e4-715d"), number_cell(1, "1.00000")}};
  CHECK(to_text(table, {51, false}) ==
        "                                            Latency\n"
        "Name                         Workload          (ms)\n"
        "---------------------------------------------------\n"
        "a_solution_with_a_long_name  1dbd40e4-715d  1.00000\n");
  CHECK(widest_line(to_text(table, {50, false})) == 50);
  CHECK(to_text(table, {40, false}) ==
        "                                 Latency\n"
        "Name                  Workload      (ms)\n"
        "----------------------------------------\n"
        "a_solution_with_a_l…  1dbd40e4…  1.00000\n");
  CHECK(to_text(table, {1, false}).find("1.00000") != std::string::npos);
}

TEST_CASE("a table that does not fit at all has a line for every cell") {
  Table table;
  table.columns = {text_column("Definition", "definition"), text_column("Name", "name"),
                   identity_column("Workload", "workload"),
                   number_column("Reference latency (ms)", "latency_ms"), number_column("Done", "done")};
  table.rows = {{text_cell("matrix_product_of_two_matrices"), text_cell("a_solution_with_a_long_name"),
                 text_cell("1dbd40e4-715d"), number_cell(1, "1.00000"), count_cell(7)},
                {text_cell("d2"), text_cell("b"), text_cell("w"), no_cell(), no_cell()}};
  CHECK(to_text(table, {20, false}) ==
        "Definition:\n"
        "  matrix_product_of…\n"
        "Name:\n"
        "  a_solution_with_a…\n"
        "Workload:\n"
        "  1dbd40e4-715d\n"
        "Reference latency (…\n"
        "  1.00000\n"
        "Done: 7\n"
        "--------------------\n"
        "Definition: d2\n"
        "Name: b\n"
        "Workload: w\n"
        "Reference latency (…\n"
        "  -\n"
        "Done: -\n");
  for (std::size_t width = 20; width < 60; ++width)
    CHECK(widest_line(to_text(table, {width, false})) <= width);
  table.grouped = true;
  CHECK(to_text(table, {20, false}).find("matrix_product_of_t…\nName:\n  a_solution") == 0);
  for (std::size_t width = 20; width < 60; ++width)
    CHECK(widest_line(to_text(table, {width, false})) <= width);
}

TEST_CASE("a table goes without spare columns before its names are unreadable, and says without which") {
  Table table;
  table.columns = {name_column("Solution", "solution"), spare(text_column("Author", "author")),
                   number_column("Latency (ms)", "latency_ms"), spare(number_column("Max abs", "max_abs"))};
  table.rows = {{text_cell("a_solution_with_a_long_name_1"), text_cell("alice_and_bob"),
                 number_cell(1, "1.00000"), number_cell(0.5, "5.00e-01")}};
  CHECK(to_text(table, {60, false}).find("5.00e-01") != std::string::npos);
  CHECK(to_text(table, {52, false}) ==
        "                                             Latency\n"
        "Solution                      Author            (ms)\n"
        "----------------------------------------------------\n"
        "a_solution_wit…a_long_name_1  alice_and_bob  1.00000\n"
        "Left out, for want of room: Max abs\n");
  for (std::size_t width = 20; width < 80; ++width)
    CHECK(widest_line(to_text(table, {width, false})) <= width);
}

TEST_CASE("of spare columns those of the highest order go first") {
  Table table;
  table.columns = {name_column("Solution", "solution"), spare(text_column("First to go", "a"), 2),
                   spare(text_column("Second", "b"))};
  table.rows = {
      {text_cell("a_solution_with_a_long_name_1"), text_cell("aaaaaaaaaaaaaaa"), text_cell("bbbbbbb")}};
  const std::string narrow = to_text(table, {40, false});
  CHECK(narrow.find("bbbbbbb") != std::string::npos);
  CHECK(narrow.find("Left out, for want of room: First to go\n") != std::string::npos);
}

TEST_CASE("a table of numbers alone fits below 80 columns too, with a line for every cell") {
  Table table;
  for (int i = 0; i < 9; ++i) {
    table.columns.push_back(number_column("Number", "n"));
    if (table.rows.empty()) table.rows.emplace_back();
    table.rows.front().push_back(number_cell(1, "1234567.89"));
  }
  for (std::size_t width = 60; width < 80; ++width)
    CHECK(widest_line(to_text(table, {width, false})) <= width);
}

TEST_CASE("texts of other scripts keep the columns straight") {
  Table table;
  table.columns = {text_column("N", "n"), text_column("M", "m")};
  table.rows = {{text_cell("核心"), text_cell("x")},
                {text_cell("é"), text_cell("y")},
                {text_cell("a\x1b\n"), text_cell("z")}};
  CHECK(to_text(table, {}) == "N     M\n-------\n核心  x\né     y\na?    z\n");
}

TEST_CASE("csv is exact and quoted by RFC 4180") {
  Table table = sample();
  table.rows[0][0] = text_cell("a,\"b\"\nc");
  CHECK(to_csv(table) == "name,avg_speedup,passed\n\"a,\"\"b\"\"\nc\",0.3333333333333333,1\nb,,12\n");
  table.rows.clear();
  CHECK(to_csv(table) == "name,avg_speedup,passed\n");
}

TEST_CASE("Markdown is escaped") {
  Table table = sample();
  table.rows[0][0] = text_cell("a|b\\*<i>\n");
  table.rows.pop_back();
  CHECK(to_markdown(table) ==
        "| Name | Avg Speedup | Done |\n"
        "| --- | ---: | ---: |\n"
        "| a\\|b\\\\\\*\\<i\\>  | 0.3333 | 1/2 |\n");
  CHECK(escape_markdown("![x](http://a) [y][z] w[1] {a} <b>_y_ snake_case $m$ a|b\n`c` &amp; x&#x202E;y") ==
        R"(![x\](http://a) [y\][z] w[1] {a} \<b\>\_y\_ snake_case \$m\$ a\|b \`c\` \&amp; x\&\#x202E;y)");
}

TEST_CASE("json holds numbers as numbers and what is not finite as text") {
  Table table = sample();
  table.rows[1][1] = number_cell(std::numeric_limits<double>::quiet_NaN(), "nan");
  CHECK(
      json::dump(to_json(table), json::Form::compact, json::NonFinite::strings) ==
      R"([{"name":"alice","avg_speedup":0.3333333333333333,"passed":1},{"name":"b","avg_speedup":"NaN","passed":12}])");
  CHECK(json_document("x", {}) ==
        "{\n  \"schema_version\": 1,\n  \"report\": \"x\",\n  \"datasets\": []\n}\n");
}

TEST_CASE("tables are put together by rows and by a leading column") {
  Table all;
  append(all, with_leading(sample(), text_column("Dataset", "dataset"), text_cell("D")));
  append(all, with_leading(sample(), text_column("Dataset", "dataset"), text_cell("E")));
  CHECK(to_csv(all).substr(0, 50) == "dataset,name,avg_speedup,passed\nD,alice,0.33333333");
  CHECK(all.rows.size() == 4);
}

TEST_CASE("a paragraph of a document in Markdown is one, whatever its text begins with") {
  const auto of = [](const std::string& text) {
    Document document(Format::md, {0, false});
    document.paragraph(text);
    return document.text();
  };
  CHECK(of("# All passed") == "\\# All passed\n");
  CHECK(of("~~~\nx") == "\\~\\~\\~ x\n");
  CHECK(of("> x") == "\\> x\n");
  CHECK(of("- x") == "\\- x\n");
  CHECK(of("+ x") == "\\+ x\n");
  CHECK(of("[x] done") == "\\[x] done\n");
  CHECK(of("---") == "\\---\n");
  CHECK(of("-5% or +5%") == "-5% or +5%\n");
  CHECK(of("    x") == "x\n");
  CHECK(of("12. x") == "12\\. x\n");
  CHECK(of("1) x") == "1\\) x\n");
  CHECK(of("12.5 ms") == "12.5 ms\n");
  CHECK(of("12") == "12\n");
  CHECK(of("   ") == "\n");
}

TEST_CASE("a document separates its blocks by blank lines and leaves out empty tables") {
  Document text(Format::table, {20, false});
  text.heading("Dataset 1: D");
  text.subheading("Hardware: cpu", "Traces: 1");
  text.paragraph("a paragraph longer than a line");
  text.table("Title:", Table{});
  text.notes({"a note longer than a line", "b"});
  CHECK(text.text() ==
        "Dataset 1: D\n\nHardware: cpu\nTraces: 1\n\na paragraph longer\nthan a line\n\n"
        "a note longer than a\n  line\nb\n");
  Document markdown(Format::md, {});
  markdown.heading("D");
  markdown.notes({"x"});
  CHECK(markdown.text() == "## D\n\n- x\n");
}

TEST_CASE("cells are coloured only where escape codes may be written, and keep their width") {
  fib::present::Table table{{fib::present::text_column("A", "a"), fib::present::text_column("B", "b")}, {}};
  auto cell = fib::present::text_cell("slower");
  cell.tone = fib::present::Tone::bad;
  table.rows.push_back({cell, fib::present::text_cell("x")});
  CHECK(fib::present::to_text(table, {}).find('\x1b') == std::string::npos);
  CHECK(fib::present::to_text(table, {0, true}).find("\x1b[31mslower\x1b[0m  x\n") != std::string::npos);
  table.rows[0][0].tone = fib::present::Tone::good;
  CHECK(fib::present::to_text(table, {0, true}).find("\x1b[32mslower\x1b[0m  x\n") != std::string::npos);
}
