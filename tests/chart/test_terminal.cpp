#include <catch2/catch.hpp>
#include <limits>
#include <sstream>
#include <string>

#include "chart/terminal.h"
#include "present/text.h"

using namespace fib::chart;
using fib::present::TextStyle;

namespace {

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    widest = std::max(widest, fib::present::display_width(line));
  return widest;
}

BarChart speedups() {
  BarChart chart;
  chart.value.unit = Unit::ratio;
  chart.bars = {{"best", 8.0, "", "", "", Tone::good},
                {"half", 4.0, "", "", "", Tone::plain},
                {"tiny", 0.0001, "", "", "", Tone::plain},
                {"none", 0.0, "", "", "", Tone::plain},
                {"bad", std::nullopt, "failed", "", "", Tone::bad}};
  return chart;
}

}  // namespace

TEST_CASE("bars on a terminal", "[terminal]") {
  CHECK(bars_text(speedups(), {40, false}) ==
        "best ███████████████████████████ 8x\n"
        "half █████████████▌ 4x\n"
        "tiny ▏ 0.0001x\n"
        "none 0x\n"
        "bad  failed\n");
}

TEST_CASE("bars are coloured only where the style allows escape codes", "[terminal]") {
  const std::string plain = bars_text(speedups(), {60, false});
  CHECK(plain.find('\x1b') == std::string::npos);
  const std::string coloured = bars_text(speedups(), {60, true});
  CHECK(coloured.find("\x1b[32m█") != std::string::npos);
  CHECK(coloured.find("\x1b[31mfailed\x1b[0m") != std::string::npos);
}

TEST_CASE("bars fit the terminal", "[terminal]") {
  BarChart chart = speedups();
  chart.bars[0].label = std::string(90, 'm');
  chart.bars[1].text = std::string(90, 't');
  chart.bars[2].label = "核核核核核核核核核核核核核核核核核核核核核核核核核核";
  for (const std::size_t width : {40U, 60U, 100U, 200U})
    CHECK(widest_line(bars_text(chart, {width, false})) <= width);
  CHECK(widest_line(bars_text(chart, {0, false})) <= 100);
}

TEST_CASE("control characters of names do not reach the terminal", "[terminal]") {
  BarChart chart = speedups();
  chart.bars[0].label = "a\x1b[31m";
  CHECK(bars_text(chart, {60, false}).find('\x1b') == std::string::npos);
}

TEST_CASE("log bars, and values that cannot be shown", "[terminal]") {
  BarChart chart;
  chart.value = {.spacing = Spacing::log};
  chart.bars = {{"a", 100.0, "", "", "", Tone::plain},
                {"b", 10.0, "", "", "", Tone::plain},
                {"c", 0.0, "zero", "", "", Tone::plain},
                {"d", 1.0, "", "", "", Tone::plain}};
  CHECK(bars_text(chart, {40, false}) ==
        "a █████████████████████████████████ 100\n"
        "b ████████████████▌ 10\n"
        "c zero\n"
        "d 1\n"
        "1 value is not drawn: not finite, or not above 0 on a log axis\n");
  CHECK(bars_text(BarChart{}, {}) == "no data\n");
}

TEST_CASE("sparklines", "[terminal]") {
  const auto from_zero = [](const std::vector<Spark>& values, double high) {
    return sparkline(values, Spacing::linear, {0, high});
  };
  CHECK(from_zero({{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}, 7) == "▁▂▃▄▅▆▇█");
  CHECK(from_zero({{1}, {std::nullopt}, {3, true}, {2}}, 2) == "▄·✗█");
  CHECK(from_zero({{100}, {101}}, 101) == "██");  // a hundredth looks like one
  CHECK(from_zero({}, 1).empty());
  CHECK(from_zero({{std::numeric_limits<double>::quiet_NaN()}, {0.1}, {2}}, 2) == "·▁█");
  CHECK(sparkline({{1}, {10}, {100}, {0}}, Spacing::log, {1, 100}) == "▁▄█·");
  CHECK(sparkline({{5}, {5}}, Spacing::log, {5, 5}) == "▄▄");
}

TEST_CASE("a histogram on a terminal", "[terminal]") {
  Histogram chart;
  chart.value.unit = Unit::ratio;
  chart.bins = {{0, 5, 10, 15}, {2, 0, 4}, 0};
  CHECK(histogram_text(chart, {40, false}) ==
        " 0x –  5x ██████████████ 2\n"
        " 5x – 10x 0\n"
        "10x – 15x ████████████████████████████ 4\n");
  CHECK(histogram_text(Histogram{}, {40, false}) == "no data\n");
}

TEST_CASE("lines on a terminal", "[terminal]") {
  LineChart chart;
  chart.x = {.title = "size"};
  chart.y = {.title = "time", .low = 0.0, .high = 4.0};
  chart.series = {{"up", {{0, 0.0}, {5, 2.0}, {10, 4.0}}},
                  {"down", {{0, 4.0}, {5, 2.0}, {10, std::nullopt, {}, {}, true}}}};
  CHECK(lines_text(chart, {40, false}, 5) ==
        "time\n"
        "4 ┤b                                   a\n"
        "  │\n"
        "2 ┤                  *\n"
        "  │\n"
        "0 ┤a                                   ✗\n"
        "  └─────────────────────────────────────\n"
        "   0               size               10\n"
        "a  up\n"
        "b  down\n");
  CHECK(lines_text(LineChart{}, {}) == "no data\n");
}

TEST_CASE("lines over categories and of one point", "[terminal]") {
  LineChart chart;
  chart.categories = {{"a run with a name that is much longer than the terminal is wide", ""}};
  chart.series = {{"a", {{0, 1.0}, {7, 1.0}}}};
  const std::string text = lines_text(chart, {60, false});
  CHECK(widest_line(text.substr(0, text.find("1 value"))) <= 60);
  CHECK(text.find("1 value is not drawn") != std::string::npos);
}
