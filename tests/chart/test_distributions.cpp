#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "chart/box_chart.h"
#include "chart/histogram.h"
#include "svg_reader.h"

using namespace fib::chart;
using fib::testing::Node;
using fib::testing::nodes_with;
using fib::testing::read_svg;
using fib::testing::texts_of;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double number(const Node& node, const std::string& attribute) {
  return std::strtod(node.at(attribute).c_str(), nullptr);
}

std::vector<double> one_to(int last) {
  std::vector<double> values(static_cast<std::size_t>(last));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

std::size_t sum(const Bins& bins) {
  return std::accumulate(bins.counts.begin(), bins.counts.end(), std::size_t{0});
}

}  // namespace

TEST_CASE("quartiles are interpolated", "[box]") {
  const auto five = quartiles_of({5, 1, 3, 2, 4}, Spacing::linear);
  CHECK(five->low == 1);
  CHECK(five->q25 == 2);
  CHECK(five->median == 3);
  CHECK(five->q75 == 4);
  CHECK(five->high == 5);
  const auto four = quartiles_of({1, 2, 3, 4}, Spacing::linear);
  CHECK(four->q25 == 1.75);
  CHECK(four->median == 2.5);
  CHECK(four->q75 == 3.25);
  const auto one = quartiles_of({7}, Spacing::log);
  CHECK(one->low == 7);
  CHECK(one->q75 == 7);
  const auto some = quartiles_of({0, kNan, -1, 2}, Spacing::log);
  CHECK(some->count == 1);
  CHECK(some->left_out == 3);
  CHECK_FALSE(quartiles_of({}, Spacing::linear));
  CHECK_FALSE(quartiles_of({0}, Spacing::log));
}

TEST_CASE("boxes stand at their quartiles", "[box]") {
  BoxChart chart;
  chart.value = {.title = "speedup", .spacing = Spacing::log, .unit = Unit::ratio};
  chart.reference = Reference{1, "baseline"};
  chart.boxes = {{"a", Quartiles{0.5, 1, 2, 4, 8, 40, 2}, "", "", "", Tone::plain},
                 {"none", std::nullopt, "nothing passed", "", "", Tone::muted}};
  const Node svg = read_svg(to_svg(chart));
  const auto boxes = nodes_with(svg, "data-q25");
  REQUIRE(boxes.size() == 1);
  CHECK(boxes[0].at("data-x") == "a");
  CHECK(boxes[0].at("data-y") == "2");
  CHECK(boxes[0].at("data-low") == "0.5");
  CHECK(boxes[0].at("data-high") == "8");
  const Node* box = nullptr;
  const Node* median = nullptr;
  for (const Node& child : boxes[0].children) {
    if (child.at("class") == "x") box = &child;
    if (child.at("class") == "m") median = &child;
  }
  REQUIRE(box != nullptr);
  REQUIRE(median != nullptr);
  // 2 is the middle of 1 and 4 on a log axis.
  const double middle = std::strtod(median->at("d").c_str() + 1, nullptr);
  CHECK(middle == Approx(number(*box, "x") + number(*box, "width") / 2).margin(0.15));
  const auto texts = texts_of(svg, "text");
  CHECK(std::count(texts.begin(), texts.end(), "2x") >= 1);
  CHECK(std::count(texts.begin(), texts.end(), "nothing passed") == 1);
  CHECK(texts.back().starts_with("2 values are not drawn"));
  CHECK(texts_of(boxes[0], "title")[0].starts_with("a: median 2x\nmiddle half 1x to 4x"));
}

TEST_CASE("no boxes", "[box]") { CHECK(texts_of(read_svg(to_svg(BoxChart{})), "text").back() == "no data"); }

TEST_CASE("the width of bins is by the rule of Freedman and Diaconis", "[bins]") {
  // 1 to 1000: quartiles 250.75 and 750.25, width 2 * 499.5 / 10 = 99.9, 999 / 99.9 = 10 bins.
  const Bins bins = make_bins(one_to(1000), Spacing::linear);
  REQUIRE(bins.counts.size() == 10);
  CHECK(bins.edges.front() == 1);
  CHECK(bins.edges.back() == 1000);
  CHECK(bins.edges[1] == Approx(100.9));
  for (const std::size_t count : bins.counts) CHECK(count == 100);
}

TEST_CASE("bins are limited and hold every value", "[bins]") {
  auto values = one_to(1000);
  values.push_back(1e6);  // far away: the rule would want 10000 bins
  const Bins far = make_bins(values, Spacing::linear, {5, 40});
  CHECK(far.counts.size() == 40);
  CHECK(sum(far) == 1001);
  CHECK(far.counts.back() == 1);
  const Bins few = make_bins({1, 2, 3}, Spacing::linear, {5, 40});
  CHECK(few.counts.size() == 5);
  CHECK(sum(few) == 3);
  // No interquartile range: Sturges, log2(64) + 1.
  std::vector<double> same(62, 5.0);
  same.insert(same.end(), {1, 9});
  CHECK(make_bins(same, Spacing::linear).counts.size() == 7);
}

TEST_CASE("log bins have equal ratios", "[bins]") {
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(std::exp2(i / 10.0));
  values.insert(values.end(), {0, -3, kNan});
  const Bins bins = make_bins(values, Spacing::log);
  CHECK(bins.left_out == 3);
  CHECK(sum(bins) == 101);
  REQUIRE(bins.edges.size() > 3);
  CHECK(bins.edges[1] / bins.edges[0] == Approx(bins.edges[3] / bins.edges[2]));
}

TEST_CASE("where a value is said to be an edge, no bin has values on both sides of it") {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(0.9 * std::pow(1.05, i));  // to 6.03
  for (const Spacing spacing : {Spacing::linear, Spacing::log}) {
    const Bins bins = make_bins(values, spacing, {.edge = 1});
    const auto edge =
        std::find_if(bins.edges.begin(), bins.edges.end(), [](double one) { return one == Approx(1); });
    REQUIRE(edge != bins.edges.end());
    CHECK(*edge == 1);                 // exactly: what equals it is on its right
    CHECK(bins.edges.front() == 0.9);  // no bar begins or ends where no value is
    CHECK(bins.edges.back() == values.back());
    std::size_t below = 0;
    for (std::size_t i = 0; bins.edges[i + 1] < 1.0001; ++i) below += bins.counts[i];
    CHECK(below == 3);  // 0.9, 0.945, 0.992
    CHECK(std::accumulate(bins.counts.begin(), bins.counts.end(), std::size_t{0}) == values.size());
  }
  CHECK(make_bins(values, Spacing::log, {.edge = 10}).edges == make_bins(values, Spacing::log).edges);
}

TEST_CASE("equal values and no values", "[bins]") {
  for (const Spacing spacing : {Spacing::linear, Spacing::log}) {
    const Bins equal = make_bins({3, 3, 3}, spacing);
    REQUIRE(equal.counts == std::vector<std::size_t>{3});
    CHECK(equal.edges[0] < 3);
    CHECK(equal.edges[1] > 3);
  }
  CHECK(make_bins({0, 0}, Spacing::linear).counts == std::vector<std::size_t>{2});
  const Bins none = make_bins({0, -1}, Spacing::log);
  CHECK(none.counts.empty());
  CHECK(none.left_out == 2);
}

TEST_CASE("a histogram's bars have the heights of their counts", "[bins]") {
  Histogram chart;
  chart.value = {.title = "speedup", .unit = Unit::ratio};
  chart.bins = {{0, 1, 2, 3}, {4, 0, 8}, 1};
  chart.markers = {{1.5, "median"}, {1.55, "mean"}, {9, "far"}};
  const Node svg = read_svg(to_svg(chart));
  const auto bars = nodes_with(svg, "data-x2");
  REQUIRE(bars.size() == 3);
  CHECK(bars[0].at("data-x") == "0");
  CHECK(bars[0].at("data-x2") == "1");
  CHECK(bars[2].at("data-y") == "8");
  CHECK(number(bars[2], "height") == Approx(2 * number(bars[0], "height")).margin(0.2));
  CHECK(number(bars[1], "height") == 0);
  CHECK(texts_of(bars[0], "title")[0] == "0x to 1x: 4");
  const auto texts = texts_of(svg, "text");
  for (const std::string name : {"median", "mean", "far"})
    CHECK(std::count(texts.begin(), texts.end(), name) == 1);
  CHECK(texts.back() == "1 value is not drawn: not finite");
  CHECK(texts_of(read_svg(to_svg(Histogram{})), "text").back() == "no data");
}
