#include <catch2/catch.hpp>
#include <cstdlib>

#include "chart/roofline_chart.h"
#include "svg_reader.h"

using namespace fib::chart;
using fib::testing::Node;
using fib::testing::nodes_with;
using fib::testing::read_svg;
using fib::testing::texts_of;

namespace {

RooflineChart gemm() {
  RooflineChart chart;
  chart.title = "gemm";
  chart.bandwidths = {{"HBM 4 TB/s", 4e12}};
  chart.peaks = {{"FP16 800 Tflop/s", 800e12}, {"FP32 80 Tflop/s", 80e12}};
  chart.series = {{"a", {{1, 2e12, "M = 1"}, {200, 8e14, ""}, {2000, 4e14, ""}}}};
  return chart;
}

struct Segment {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// From "M1 2L3 4".
Segment segment_of(const Node& node) {
  std::string path = node.at("d").substr(1);
  path[path.find('L')] = ' ';
  Segment segment;
  char* end = path.data();
  for (double* value : {&segment.x1, &segment.y1, &segment.x2, &segment.y2}) *value = std::strtod(end, &end);
  return segment;
}

}  // namespace

TEST_CASE("a roof rises with the bandwidth to the highest peak", "[roofline]") {
  const Node svg = read_svg(to_svg(gemm()));
  const auto roofs = nodes_with(svg, "data-roof");
  REQUIRE(roofs.size() == 3);
  const Segment slope = segment_of(roofs[0]);
  const Segment high = segment_of(roofs[1]);
  const Segment low = segment_of(roofs[2]);
  CHECK(roofs[0].at("data-roof") == "HBM 4 TB/s");
  CHECK(roofs[0].at("data-value") == "4e+12");
  CHECK(slope.y2 < slope.y1);
  CHECK(slope.x2 == Approx(high.x1).margin(0.11));
  CHECK(slope.y2 == Approx(high.y1).margin(0.11));
  CHECK(high.y1 == high.y2);
  CHECK(low.y1 > high.y1);
  // The lower peak begins on the slope.
  const double share = (low.x1 - slope.x1) / (slope.x2 - slope.x1);
  CHECK(slope.y1 + share * (slope.y2 - slope.y1) == Approx(low.y1).margin(0.5));
  // The second point is the ridge itself: 200 flop/byte at 800 Tflop/s.
  const Node ridge = nodes_with(svg, "data-x")[1];
  const Segment place =
      segment_of({"", {{"d", ridge.at("d").substr(0, ridge.at("d").find('m')) + "L0 0"}}, "", {}});
  CHECK(place.x1 == Approx(high.x1).margin(0.11));
  CHECK(place.y1 == Approx(high.y1).margin(0.11));
}

TEST_CASE("points of a roofline have exact numbers and a tooltip", "[roofline]") {
  const auto groups = nodes_with(read_svg(to_svg(gemm())), "data-series");
  REQUIRE(groups.size() == 1);
  const auto points = nodes_with(groups[0], "data-x");
  REQUIRE(points.size() == 3);
  CHECK(points[0].at("data-x") == "1");
  CHECK(points[0].at("data-y") == "2e+12");
  CHECK(texts_of(points[0], "title")[0] == "a: 1 flop/byte → 2 Tflop/s\nM = 1");
}

TEST_CASE("roofs and points that are not positive are left out", "[roofline]") {
  RooflineChart chart = gemm();
  chart.peaks.push_back({"unknown", 0});
  chart.series[0].points.push_back({0, 1e12, ""});
  const Node svg = read_svg(to_svg(chart));
  CHECK(nodes_with(svg, "data-roof").size() == 3);
  CHECK(nodes_with(svg, "data-y").size() == 3);
  CHECK(texts_of(svg, "text").back().starts_with("1 value is not drawn"));
}

TEST_CASE("points without roofs, roofs without points, neither", "[roofline]") {
  RooflineChart points = gemm();
  points.bandwidths.clear();
  points.peaks.clear();
  CHECK(nodes_with(read_svg(to_svg(points)), "data-y").size() == 3);
  RooflineChart peak = gemm();
  peak.bandwidths.clear();
  CHECK(nodes_with(read_svg(to_svg(peak)), "data-roof").size() == 2);
  RooflineChart roofs = gemm();
  roofs.series.clear();
  CHECK(nodes_with(read_svg(to_svg(roofs)), "data-roof").size() == 3);
  CHECK(texts_of(read_svg(to_svg(RooflineChart{})), "text").back() == "no data");
}
