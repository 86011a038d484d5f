#include <catch2/catch.hpp>
#include <cstdlib>

#include "chart/matrix_chart.h"
#include "svg_reader.h"

using namespace fib::chart;
using fib::testing::Node;
using fib::testing::nodes_with;
using fib::testing::read_svg;
using fib::testing::texts_of;

TEST_CASE("a matrix has a cell for each result", "[matrix]") {
  MatrixChart chart;
  chart.title = "results";
  chart.rows = {"a", "b"};
  chart.columns = {"rmsnorm", "gemm"};
  chart.cells = {{Cell{Tone::good, "", "3 of 3"}, std::nullopt}, {Cell{Tone::bad, "", ""}}};
  const Node svg = read_svg(to_svg(chart));
  const auto cells = nodes_with(svg, "data-row");
  REQUIRE(cells.size() == 2);
  CHECK(cells[0].at("data-row") == "a");
  CHECK(cells[0].at("data-column") == "rmsnorm");
  CHECK(cells[0].at("data-y") == "good");
  CHECK(cells[0].at("class") == "t good");
  CHECK(texts_of(cells[0], "title")[0] == "a, rmsnorm: good\n3 of 3");
  CHECK(cells[1].at("data-row") == "b");
  const auto texts = texts_of(svg, "text");
  for (const std::string text : {"rmsnorm", "gemm", "✓", "✗"})
    CHECK(std::count(texts.begin(), texts.end(), text) == 1);
}

TEST_CASE("a matrix of many columns gets wider and keeps its cells apart", "[matrix]") {
  MatrixChart chart;
  chart.rows = {"solution"};
  chart.cells.emplace_back();
  for (int i = 0; i < 100; ++i) {
    chart.columns.push_back("a_long_definition_name_" + std::to_string(i));
    chart.cells[0].push_back(Cell{Tone::good, "", ""});
  }
  const Node svg = read_svg(to_svg(chart));
  const auto cells = nodes_with(svg, "data-row");
  REQUIRE(cells.size() == 100);
  const auto x = [&](std::size_t i) { return std::strtod(cells[i].at("x").c_str(), nullptr); };
  CHECK(x(1) - x(0) >= 12);
  const double width = std::strtod(svg.at("viewBox").c_str() + 4, nullptr);
  CHECK(width > x(99) + 12);
}

TEST_CASE("a matrix without rows or columns", "[matrix]") {
  CHECK(texts_of(read_svg(to_svg(MatrixChart{})), "text").back() == "no data");
}
