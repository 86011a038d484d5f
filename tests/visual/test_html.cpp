#include <catch2/catch.hpp>
#include <set>

#include "visual/html.h"
#include "visual/page_table.h"

using namespace fib;
using visual::id_of;

TEST_CASE("text cannot become markup") {
  CHECK(visual::text_tag("p", "<script>&\"") == "<p>&lt;script&gt;&amp;&quot;</p>");
  CHECK(visual::tag("a", {{"href", "#x\" onclick=\"y"}, {"title", ""}}, "z") ==
        "<a href=\"#x&quot; onclick=&quot;y\">z</a>");
}

TEST_CASE("different names have different ids, without characters that a link would have to escape") {
  const std::set<std::string> ids{id_of("a b"), id_of("a~20b"), id_of("a_b"),
                                  id_of("ä"),   id_of("a/b"),   id_of("")};
  CHECK(ids.size() == 6);
  CHECK(id_of("gemm_n128-k2.x") == "gemm_n128-k2.x");
  CHECK(id_of("a b") == "a~20b");
  CHECK(id_of("a~b") == "a~7eb");
}

TEST_CASE("numbers of a table carry their exact values") {
  present::Table table{{present::text_column("Name", "n"), present::number_column("Latency", "l"),
                        present::only_for(present::Audience::programs, present::text_column("Key", "k"))},
                       {}};
  table.rows.push_back({present::text_cell("a<b"), present::number_cell(0.123456789, "0.12346"),
                        present::text_cell("secret")});
  table.rows.push_back({present::text_cell("c"), present::no_cell(), present::no_cell()});
  const std::string html = visual::html_table(table, "Two & more");
  CHECK(html.find("<caption>Two &amp; more</caption>") != std::string::npos);
  CHECK(html.find("<td>a&lt;b</td><td class=\"n\" data-v=\"0.123456789\">0.12346</td>\n") !=
        std::string::npos);
  CHECK(html.find("<td class=\"n\">-</td>") != std::string::npos);
  CHECK(html.find("secret") == std::string::npos);
  CHECK(visual::html_table({{present::text_column("Name", "n")}, {}}, "none") == "");
}

TEST_CASE("a table may be cards on phones, whose values have the names of their columns") {
  present::Table table;
  for (const char* name : {"Run", "Took", "Passed", "Failed", "Commit"}) {
    table.columns.push_back(present::text_column(name, name));
    if (table.rows.empty()) table.rows.emplace_back();
    table.rows[0].push_back(present::text_cell("x"));
  }
  const std::string html = visual::html_table(table, "", visual::OnPhones::cards);
  CHECK(html.find("class=\"sortable cards named\"") != std::string::npos);
  CHECK(html.find("data-name=\"Commit\"") != std::string::npos);
  auto many = table;
  many.rows.resize(41, table.rows[0]);
  CHECK(visual::html_table(many, "", visual::OnPhones::cards).find("cards") == std::string::npos);
  CHECK(visual::html_table(table, "").find("cards") == std::string::npos);
}

TEST_CASE("an option in a text is not broken at the end of a line") {
  CHECK(visual::with_whole_options("a <b> --traces all") ==
        "a &lt;b&gt; <span class=\"option\">--traces</span> all");
}

TEST_CASE("long words may be broken behind signs, and after some letters without one") {
  CHECK(visual::breakable("a_short_one <b>") == "a_short_one &lt;b&gt;");
  CHECK(visual::breakable("tuned_rmsnorm_h4096 won") == "tuned_<wbr>rmsnorm_<wbr>h4096 won");
  CHECK(visual::breakable(std::string(25, 'x')) == std::string(20, 'x') + "<wbr>" + std::string(5, 'x'));
  std::string accents;
  for (int i = 0; i < 11; ++i) accents += "é";
  CHECK(visual::breakable(accents).find("<wbr>") == 20);  // between characters
  CHECK(visual::breakable("").empty());
}

TEST_CASE("a column in which no row says anything is left out") {
  using visual::plain;
  visual::PageTable table{
      {{"Name"}, {"Rerun within", true}, {"Speedup", true}},
      {{plain("a"), plain("-"), plain("-")}, {plain("b"), plain("-"), visual::number("2", 2)}}};
  const std::string html = visual::to_html(table, "caption");
  CHECK(html.find("Rerun within") == std::string::npos);
  CHECK(html.find("Speedup") != std::string::npos);
  std::size_t cells = 0;
  for (std::size_t at = html.find("<td"); at != std::string::npos; at = html.find("<td", at + 1)) ++cells;
  CHECK(cells == 4);
}
