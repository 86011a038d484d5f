#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "chart/line_chart.h"
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

// The place of a mark, from "M12.3 45.6...".
struct Place {
  double x = 0;
  double y = 0;
};

Place place_of(const Node& mark) {
  char* end = nullptr;
  const std::string path = mark.at("d").substr(1);
  const double x = std::strtod(path.c_str(), &end);
  return {x, std::strtod(end, nullptr)};
}

LineChart latencies() {
  LineChart chart;
  chart.title = "latency";
  chart.x = {.title = "size", .spacing = Spacing::log2};
  chart.y = {.title = "time", .spacing = Spacing::log, .unit = Unit::milliseconds};
  for (const std::string name : {"a", "b"}) {
    Series series{name, {}};
    for (int k = 0; k <= 14; ++k) series.points.push_back({std::exp2(k), 0.002 * std::exp2(k) / 3.0});
    chart.series.push_back(series);
  }
  return chart;
}

const Node& path_with(const Node& group, const std::string& css) {
  for (const Node& child : group.children) {
    if (child.at("class") == css) return child;
  }
  throw std::runtime_error("no " + css);
}

std::size_t count_of(const std::string& text, char character) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), character));
}

}  // namespace

TEST_CASE("every point is an element with its exact numbers", "[line]") {
  const LineChart chart = latencies();
  const Node svg = read_svg(to_svg(chart));
  CHECK(svg.at("role") == "img");
  CHECK(svg.at("aria-label") == "latency");
  const auto groups = nodes_with(svg, "data-series");
  REQUIRE(groups.size() == 2);
  for (std::size_t s = 0; s < 2; ++s) {
    CHECK(groups[s].at("data-series") == chart.series[s].name);
    CHECK(groups[s].at("class") == "s" + std::to_string(s));
    const auto marks = nodes_with(groups[s], "data-x");
    REQUIRE(marks.size() == 15);
    for (std::size_t i = 0; i < marks.size(); ++i) {
      CHECK(number(marks[i], "data-x") == chart.series[s].points[i].x);
      CHECK(number(marks[i], "data-y") == *chart.series[s].points[i].y);
    }
    // Equal ratios are equal distances on log axes.
    const double step = place_of(marks[1]).x - place_of(marks[0]).x;
    CHECK(place_of(marks[9]).x - place_of(marks[8]).x == Approx(step).margin(0.11));
    CHECK(place_of(marks[9]).y < place_of(marks[8]).y);
  }
  CHECK(texts_of(groups[0], "title")[1] == "a: 1 → 666.7 ns");
}

TEST_CASE("points are joined in the order of x, and a missing one breaks the line", "[line]") {
  LineChart chart;
  chart.series = {{"a", {{4, 1.0}, {1, 2.0}, {2, std::nullopt}, {3, 3.0}, {5, 2.0}}}};
  const Node group = nodes_with(read_svg(to_svg(chart)), "data-series")[0];
  const auto marks = nodes_with(group, "data-x");
  REQUIRE(marks.size() == 4);
  CHECK(marks[0].at("data-x") == "1");
  CHECK(marks[1].at("data-x") == "3");
  const std::string line = path_with(group, "l").at("d");
  CHECK(count_of(line, 'M') == 2);
  CHECK(count_of(line, 'L') == 2);
}

TEST_CASE("a failed point is a cross at the bottom", "[line]") {
  LineChart chart;
  chart.series = {{"a", {{1, 1.0}, {2, std::nullopt, {}, {}, true, "RUNTIME_ERROR"}, {3, 5.0}}}};
  const Node svg = read_svg(to_svg(chart));
  const auto failed = nodes_with(svg, "data-failed");
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].at("data-x") == "2");
  CHECK_FALSE(failed[0].has("data-y"));
  CHECK(texts_of(failed[0], "title")[0] == "a: 2 → failed\nRUNTIME_ERROR");
  for (const Node& mark : nodes_with(svg, "data-y")) CHECK(place_of(mark).y < place_of(failed[0]).y - 6);
}

TEST_CASE("crosses of series that failed at one place stand beside each other, within the plot", "[line]") {
  const Point failure{3, std::nullopt, {}, {}, true, "TIMEOUT"};
  LineChart chart;
  chart.series = {{"a", {{1, 1.0}, failure}}, {"b", {{1, 2.0}, failure}}, {"c", {{1, 3.0}, failure}}};
  const auto crosses = nodes_with(read_svg(to_svg(chart)), "data-failed");
  REQUIRE(crosses.size() == 3);
  for (std::size_t i = 1; i < crosses.size(); ++i) {
    CHECK(place_of(crosses[i]).x - place_of(crosses[i - 1]).x >= 7);
    CHECK(place_of(crosses[i]).y == place_of(crosses[0]).y);
  }
  CHECK(place_of(crosses.back()).x < SvgOptions{}.width);
  for (int i = 0; i < 60; ++i) chart.series.push_back({"s" + std::to_string(i), {failure}});
  const auto many = nodes_with(read_svg(to_svg(chart)), "data-failed");
  CHECK(many.size() == 63);
  CHECK(place_of(many.back()).x - place_of(many.front()).x < 50);
}

TEST_CASE("crosses of neighbouring places do not mix", "[line]") {
  LineChart chart;
  for (int i = 0; i < 5; ++i) {
    Series series{"s" + std::to_string(i), {}};
    for (int x = 0; x < 100; ++x) series.points.push_back({x + 1.0, std::nullopt, {}, {}, true, "TIMEOUT"});
    chart.series.push_back(series);
  }
  std::map<int, std::pair<double, double>> places;  // the least and the greatest, by data-x
  for (const Node& cross : nodes_with(read_svg(to_svg(chart)), "data-failed")) {
    const double x = place_of(cross).x;
    const auto [known, is_new] = places.emplace(std::stoi(cross.at("data-x")), std::pair(x, x));
    known->second = {std::min(known->second.first, x), std::max(known->second.second, x)};
  }
  REQUIRE(places.size() == 100);
  for (int x = 1; x < 100; ++x) CHECK(places.at(x).second < places.at(x + 1).first);
}

TEST_CASE("steps run along the axes", "[line]") {
  LineChart chart;
  chart.steps = true;
  chart.series = {{"a", {{1, 1.0}, {2, 0.5}, {4, 0.0}}}};
  const Node group = nodes_with(read_svg(to_svg(chart)), "data-series")[0];
  const std::string line = path_with(group, "l").at("d");
  CHECK(count_of(line, 'H') == 2);
  CHECK(count_of(line, 'V') == 2);
  CHECK(count_of(line, 'L') == 0);
}

TEST_CASE("a band is drawn where both bounds are given", "[line]") {
  LineChart chart;
  chart.series = {{"a", {{1, 2.0, 1.0, 3.0}, {2, 2.0, 1.0, 3.0}, {3, 2.0}}}};
  const Node group = nodes_with(read_svg(to_svg(chart)), "data-series")[0];
  const std::string band = path_with(group, "v").at("d");
  CHECK(count_of(band, 'L') == 3);
  CHECK(count_of(band, 'z') == 1);
}

TEST_CASE("what a log axis cannot show is left out and counted", "[line]") {
  LineChart chart = latencies();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  chart.series[0].points = {{1, 0.0}, {2, -1.0}, {4, nan}, {0, 1.0}, {8, 1.0}, {16, std::nullopt}};
  const Node svg = read_svg(to_svg(chart));
  CHECK(nodes_with(nodes_with(svg, "data-series")[0], "data-x").size() == 1);
  const auto texts = texts_of(svg, "text");
  CHECK(texts.back() == "4 values are not drawn: not finite, or not above 0 on a log axis");
}

TEST_CASE("without data the chart says so", "[line]") {
  LineChart chart;
  chart.title = "nothing";
  const auto texts = texts_of(read_svg(to_svg(chart)), "text");
  CHECK(texts == std::vector<std::string>{"nothing", "no data"});
  chart.series = {{"a", {{1, std::nullopt}}}};
  CHECK(texts_of(read_svg(to_svg(chart)), "text").back() == "no data");
}

TEST_CASE("one point, equal points and only failed points are charts too", "[line]") {
  for (const Spacing spacing : {Spacing::linear, Spacing::log, Spacing::log2}) {
    LineChart chart;
    chart.x.spacing = chart.y.spacing = spacing;
    chart.series = {{"a", {{3, 7.0}}}, {"b", {{3, 7.0}}}, {"c", {{3, std::nullopt, {}, {}, true}}}};
    const Node svg = read_svg(to_svg(chart));
    for (const Node& mark : nodes_with(svg, "data-y")) {
      CHECK(place_of(mark).x > 20);
      CHECK(place_of(mark).x < 640);
      CHECK(place_of(mark).y > 0);
      CHECK(place_of(mark).y < 400);
    }
    chart.series = {{"c", {{3, std::nullopt, {}, {}, true}}}};
    CHECK(nodes_with(read_svg(to_svg(chart)), "data-failed").size() == 1);
  }
}

TEST_CASE("categories stand in their order and have tooltips", "[line]") {
  LineChart chart;
  for (int i = 0; i < 40; ++i)
    chart.categories.push_back({"2025-11-" + std::to_string(i), "note " + std::to_string(i)});
  chart.series = {{"a", {{0, 1.0}, {39, 2.0}, {40, 3.0}, {-1, 3.0}}}};
  const Node svg = read_svg(to_svg(chart));
  const auto marks = nodes_with(svg, "data-y");
  REQUIRE(marks.size() == 2);
  CHECK(marks[0].at("data-x") == "2025-11-0");
  CHECK(texts_of(marks[1], "title")[0] == "a: 2025-11-39 → 2\nnote 39");
  // Labels do not overlap, and the newest run has one.
  const auto texts = texts_of(svg, "text");
  CHECK(std::count(texts.begin(), texts.end(), "2025-11-39") == 1);
  CHECK(std::count_if(texts.begin(), texts.end(), [](const auto& text) { return text.starts_with("2025"); }) <
        9);
}

TEST_CASE("the first ten series have colours, the others are one item of the legend", "[line]") {
  LineChart chart;
  for (int i = 0; i < 13; ++i)
    chart.series.push_back({"series " + std::to_string(i), {{1, 1.0 * i}, {2, 2.0 * i}}});
  const Node svg = read_svg(to_svg(chart));
  std::size_t grey = 0;
  for (const Node& group : nodes_with(svg, "data-series")) grey += group.at("class") == "sx" ? 1 : 0;
  CHECK(grey == 3);
  const auto texts = texts_of(svg, "text");
  CHECK(std::count(texts.begin(), texts.end(), "3 others") == 1);
  CHECK(std::count(texts.begin(), texts.end(), "series 9") == 1);
  CHECK(std::count(texts.begin(), texts.end(), "series 10") == 0);
}

TEST_CASE("names may be anything", "[line]") {
  LineChart chart;
  const std::string name = "</g><script>alert('1')</script>&\"\x1b\xff";
  chart.title = name;
  chart.x.title = name;
  chart.y.title = name;
  chart.y_lines = {{1, name}};
  chart.series = {{name, {{1, 1.0, {}, {}, false, name}}}};
  for (const bool standalone : {false, true}) {
    const std::string text = to_svg(chart, {.standalone = standalone});
    CHECK(text.find("<script") == std::string::npos);
    const Node svg = read_svg(text);
    CHECK(nodes_with(svg, "data-series")[0].at("data-series") ==
          "</g><script>alert('1')</script>&\"\uFFFD\uFFFD");
  }
}

TEST_CASE("long names are cut and whole in the tooltip", "[line]") {
  LineChart chart;
  const std::string name(100, 'm');
  chart.series = {{name, {{1, 1.0}}}, {"b", {{1, 2.0}}}};
  const Node svg = read_svg(to_svg(chart));
  const auto titles = texts_of(svg, "title");
  CHECK(std::count(titles.begin(), titles.end(), name) >= 2);  // legend and series
  const auto texts = texts_of(svg, "text");
  CHECK(std::any_of(texts.begin(), texts.end(),
                    [](const auto& text) { return text.find("mm…mm") != std::string::npos; }));
}

TEST_CASE("ten thousand points stay below a megabyte and keep their numbers", "[line]") {
  LineChart chart;
  for (int s = 0; s < 4; ++s) {
    Series series{"s" + std::to_string(s), {}};
    for (int i = 0; i < 2500; ++i) series.points.push_back({i * 1.0, 0.1 + std::sin(i / 97.0 + s) / 3});
    chart.series.push_back(series);
  }
  const std::string text = to_svg(chart);
  CHECK(text.size() < 1'000'000);
  const auto marks = nodes_with(read_svg(text), "data-y");
  REQUIRE(marks.size() == 10'000);
  CHECK(number(marks[2600], "data-y") == *chart.series[1].points[100].y);
  CHECK(marks[2600].children.empty());  // no tooltip each
}

TEST_CASE("a document of its own has size, colours and background", "[line]") {
  const std::string text = to_svg(latencies(), {.standalone = true, .theme = Theme::dark});
  const Node svg = read_svg(text);
  CHECK(svg.at("xmlns") == "http://www.w3.org/2000/svg");
  CHECK(svg.at("width") == "640");
  CHECK(svg.children[0].name == "title");
  CHECK(svg.children[1].name == "style");
  CHECK(svg.children[2].at("fill") == "#14171c");
  CHECK(text.find("var(") == std::string::npos);
  const Node inside = read_svg(to_svg(latencies()));
  CHECK_FALSE(inside.has("width"));
  CHECK(texts_of(inside, "style").empty());
}

TEST_CASE("labels of reference lines keep clear of the data", "[line]") {
  LineChart chart;
  chart.y = {.low = 0.0, .high = 10.0};
  chart.y_lines = {{5, "baseline"}};
  chart.series = {{"a", {{0, 1.0}, {5, 1.0}, {9, 5.4}, {10, 5.4}}}};
  const auto y_of_label = [](const LineChart& drawn) {
    double y = 0;
    std::vector<Node> nodes = nodes_with(read_svg(to_svg(drawn)), "x");
    for (const Node& node : nodes) {
      if (node.text == "baseline") y = number(node, "y");
    }
    return y;
  };
  const double below = y_of_label(chart);
  chart.series[0].points[2].y = chart.series[0].points[3].y = 4.6;
  CHECK(y_of_label(chart) < below);
}

TEST_CASE("a series has the colour that it is given, a flagged point a triangle in place of its marker") {
  LineChart chart;
  chart.series = {{"s", {{.x = 1, .y = 2.0}, {.x = 2, .y = 4.0, .flagged = true}}, 3}};
  const std::string svg = to_svg(chart);
  CHECK(svg.find("<g class=\"s3\" data-series=\"s\">") != std::string::npos);
  const auto flags = svg.find("class=\"u\" d=\"M");
  REQUIRE(flags != std::string::npos);
  CHECK(svg.find("h-13z\"", flags) != std::string::npos);
  CHECK(svg.find("class=\"u\"", flags + 1) == std::string::npos);
}

TEST_CASE("a point where something else begins has a ring around it") {
  LineChart chart;
  chart.series = {{"s", {{.x = 1, .y = 2.0}, {.x = 2, .y = 4.0, .changed = true}}, 3}};
  const std::string ring = "a9 9 0 1 0 18 0";
  const std::string svg = to_svg(chart);
  CHECK(svg.find(ring) != std::string::npos);
  CHECK(svg.find(ring) == svg.rfind(ring));
  chart.series[0].points[1].failed = true;
  CHECK(to_svg(chart).find(ring) != std::string::npos);
  chart.series[0].points[1].changed = false;
  CHECK(to_svg(chart).find(ring) == std::string::npos);
}
