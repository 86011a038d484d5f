#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "chart/line_chart.h"
#include "chart/png.h"
#include "util/error.h"

using namespace fib::chart;

namespace {

bool skipped() {
  if (png_problem().empty()) return false;
  WARN("skipped: " + png_problem());
  return true;
}

unsigned big_endian(const std::string& png, std::size_t at) {
  unsigned value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<unsigned char>(png.at(at + i));
  return value;
}

std::string line_svg() {
  LineChart chart;
  chart.title = "latency";
  chart.series = {{"a", {{1, 1.0}, {2, 4.0}, {3, 2.0}}}};
  return to_svg(chart, {.standalone = true});
}

std::string square(const std::string& style) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 50\" class=\"chart\"><style>" + style +
         "</style><rect class=\"a\" width=\"100\" height=\"50\"/></svg>";
}

}  // namespace

TEST_CASE("a chart as a PNG file", "[png]") {
  if (skipped()) return;
  const std::string png = to_png(line_svg());
  CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
  CHECK(png.substr(12, 4) == "IHDR");
  CHECK(big_endian(png, 16) == 1280);
  CHECK(big_endian(png, 20) > 400);
  CHECK(png.find("IEND") != std::string::npos);
  const std::string small = to_png(line_svg(), 1);
  CHECK(big_endian(small, 16) == 640);
}

TEST_CASE("what is drawn is in the PNG file", "[png]") {
  if (skipped()) return;
  LineChart empty;
  empty.title = "latency";
  const std::string blank = to_png("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 340\"/>");
  // Text, lines and markers do not compress as nothing does.
  CHECK(to_png(line_svg()).size() > 4 * blank.size());
  CHECK(to_png(to_svg(empty, {.standalone = true})).size() > blank.size());
  CHECK(to_png(square(".chart .a{fill:#ff0000}")) != to_png(square(".chart .a{fill:#0000ff}")));
}

// Why standalone documents have literal colours. When this fails, librsvg has learnt variables.
TEST_CASE("librsvg knows no CSS variables", "[png]") {
  if (skipped()) return;
  const std::string variable = to_png(square(":root{--c:#ff0000}.chart .a{fill:var(--c)}"));
  CHECK(variable == to_png(square("")));
}

TEST_CASE("an image is at most as large as cairo draws", "[png]") {
  if (skipped()) return;
  const std::string png = to_png("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 10 30000\"/>", 2);
  CHECK(big_endian(png, 20) == 32767);
  CHECK(big_endian(png, 16) == 11);
}

TEST_CASE("what is no SVG is refused with a reason", "[png]") {
  if (skipped()) return;
  CHECK_THROWS_WITH(to_png("<svg"), Catch::StartsWith("librsvg cannot draw the chart: "));
  CHECK_THROWS_WITH(to_png("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), Catch::Contains("no viewBox"));
}
