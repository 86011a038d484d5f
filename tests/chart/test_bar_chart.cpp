#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>

#include "chart/bar_chart.h"
#include "svg_reader.h"

using namespace fib::chart;
using fib::testing::Node;
using fib::testing::nodes_with;
using fib::testing::read_svg;
using fib::testing::texts_of;

namespace {

double number(const Node& node, const std::string& attribute) {
  return std::strtod(node.at(attribute).c_str(), nullptr);
}

BarChart speedups() {
  BarChart chart;
  chart.title = "speedups";
  chart.value = {.title = "speedup", .unit = Unit::ratio};
  chart.bars = {{"best", 24.0, "", "", "", Tone::good},
                {"half", 12.0, "", "", "", Tone::plain},
                {"slow", 0.25, "0.25x, 3 of 4", "", "", Tone::warning},
                {"broken", std::nullopt, "failed", "", "", Tone::bad}};
  return chart;
}

}  // namespace

TEST_CASE("bars are as long as their values", "[bar]") {
  const auto bars = nodes_with(read_svg(to_svg(speedups())), "data-y");
  REQUIRE(bars.size() == 3);
  CHECK(bars[0].at("data-x") == "best");
  CHECK(bars[0].at("class") == "b good");
  CHECK(number(bars[0], "data-y") == 24);
  CHECK(number(bars[0], "width") == Approx(2 * number(bars[1], "width")).margin(0.2));
  CHECK(number(bars[0], "width") > 300);
  CHECK(texts_of(bars[0], "title")[0] == "best: 24x");
}

TEST_CASE("texts stand right of the bars and inside of the drawing", "[bar]") {
  const Node svg = read_svg(to_svg(speedups()));
  const auto texts = texts_of(svg, "text");
  for (const std::string text : {"24x", "12x", "0.25x, 3 of 4", "failed"}) {
    CHECK(std::count(texts.begin(), texts.end(), text) == 1);
  }
  const auto bars = nodes_with(svg, "data-y");
  for (const Node& node : nodes_with(svg, "x")) {
    if (node.text != "24x") continue;
    CHECK(number(node, "x") > number(bars[0], "x") + number(bars[0], "width"));
    CHECK(number(node, "x") < 620);
  }
}

TEST_CASE("on a log axis bars begin at the reference", "[bar]") {
  BarChart chart = speedups();
  chart.value.spacing = Spacing::log;
  chart.reference = Reference{1.0, "baseline"};
  chart.bars[1].value = 4.0;
  const auto bars = nodes_with(read_svg(to_svg(chart)), "data-y");
  const double base = number(bars[1], "x");
  CHECK(number(bars[0], "x") == base);
  // 1/4 goes as far to the left as 4 to the right.
  CHECK(number(bars[2], "x") + number(bars[2], "width") == Approx(base).margin(0.11));
  CHECK(number(bars[2], "width") == Approx(number(bars[1], "width")).margin(0.2));
}

TEST_CASE("values that cannot be shown are counted, their rows stay", "[bar]") {
  BarChart chart = speedups();
  chart.value.spacing = Spacing::log;
  chart.bars[1].value = 0.0;
  chart.bars[2].value = std::numeric_limits<double>::quiet_NaN();
  const Node svg = read_svg(to_svg(chart));
  CHECK(nodes_with(svg, "data-y").size() == 1);
  const auto texts = texts_of(svg, "text");
  CHECK(std::count(texts.begin(), texts.end(), "half") == 1);
  CHECK(texts.back() == "2 values are not drawn: not finite, or not above 0 on a log axis");
}

TEST_CASE("rows without any value, and no rows", "[bar]") {
  BarChart chart = speedups();
  chart.bars = {chart.bars[3]};
  const auto texts = texts_of(read_svg(to_svg(chart)), "text");
  CHECK(texts == std::vector<std::string>{"speedups", "broken", "failed"});
  chart.bars.clear();
  CHECK(texts_of(read_svg(to_svg(chart)), "text").back() == "no data");
}

TEST_CASE("rows link to pages only", "[bar]") {
  BarChart chart = speedups();
  chart.bars[0].href = "solution.html?a=1&b=2";
  chart.bars[1].href = "javascript:alert(1)";
  const auto links = nodes_with(read_svg(to_svg(chart)), "href");
  REQUIRE(links.size() == 1);
  CHECK(links[0].at("href") == "solution.html?a=1&b=2");
}

TEST_CASE("long labels leave room for the bars", "[bar]") {
  BarChart chart = speedups();
  chart.bars[0].label = std::string(80, 'm') + "_vec8";
  const Node svg = read_svg(to_svg(chart));
  const auto bars = nodes_with(svg, "data-y");
  CHECK(number(bars[0], "width") > 200);
  CHECK(bars[0].at("data-x") == chart.bars[0].label);
  const auto titles = texts_of(svg, "title");
  CHECK(std::count(titles.begin(), titles.end(), chart.bars[0].label) == 1);
}

TEST_CASE("negative values go to the left of 0", "[bar]") {
  BarChart chart;
  chart.bars = {{"up", 5.0, "", "", "", Tone::plain}, {"down", -5.0, "", "", "", Tone::plain}};
  const auto bars = nodes_with(read_svg(to_svg(chart)), "data-y");
  CHECK(number(bars[1], "x") + number(bars[1], "width") == Approx(number(bars[0], "x")).margin(0.11));
}

TEST_CASE("the title can be left to the page", "[bar]") {
  const Node svg = read_svg(to_svg(speedups(), {.title = false}));
  CHECK(svg.at("aria-label") == "speedups");
  const auto texts = texts_of(svg, "text");
  CHECK(std::count(texts.begin(), texts.end(), "speedups") == 0);
}
