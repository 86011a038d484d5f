#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <string_view>

#include "chart/theme.h"

using namespace fib::chart;

namespace {

using Colour = std::array<double, 3>;  // linear light, 0 to 1
using Matrix = std::array<std::array<double, 3>, 3>;

Colour parse(std::string_view hex) {
  REQUIRE(hex.size() == 7);
  Colour colour{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    colour[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return colour;
}

// WCAG 2.1, relative luminance and contrast ratio.
double luminance(const Colour& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; }

double contrast(std::string_view a, std::string_view b) {
  const double x = luminance(parse(a));
  const double y = luminance(parse(b));
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

Colour times(const Matrix& m, const Colour& c) {
  Colour result{};
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] = std::clamp(m[i][0] * c[0] + m[i][1] * c[1] + m[i][2] * c[2], 0.0, 1.0);
  }
  return result;
}

// Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency"
// (2009), severity 1.
constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtanopia = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeuteranopia = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};

// Ottosson, "A perceptual color space for image processing" (2020).
Colour oklab(const Colour& c) {
  const double l = std::cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
  const double m = std::cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
  const double s = std::cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double distance(const Matrix& sight, std::string_view a, std::string_view b) {
  const Colour x = oklab(times(sight, parse(a)));
  const Colour y = oklab(times(sight, parse(b)));
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

}  // namespace

TEST_CASE("colours have contrast to the background in both themes") {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const Palette& colours = palette(theme);
    for (const auto& colour : colours.series) CHECK(contrast(colour, colours.background) >= 3);
    for (const auto& colour : {colours.good, colours.bad, colours.warning})
      CHECK(contrast(colour, colours.background) >= 3);
    CHECK(contrast(colours.text, colours.background) >= 7);
    CHECK(contrast(colours.muted, colours.background) >= 4.5);
  }
}

TEST_CASE("colours of series stay apart for people who see red and green alike") {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const Palette& colours = palette(theme);
    for (const Matrix& sight : {kNormal, kProtanopia, kDeuteranopia}) {
      for (std::size_t i = 0; i < kColours; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          INFO(colours.series[i] << " " << colours.series[j]);
          // A step of 0.02 is just seen; the first six are further apart than the others.
          CHECK(distance(sight, colours.series[i], colours.series[j]) >= (i < 6 ? 0.12 : 0.09));
        }
      }
    }
  }
}

TEST_CASE("a page's CSS has both themes and lets the page choose") {
  const std::string css = chart_css();
  CHECK(css.find(":root{--chart-background:#ffffff;") != std::string::npos);
  CHECK(css.find(
            "@media (prefers-color-scheme:dark){:root:not([data-theme=light]){--chart-background:#14171c;") !=
        std::string::npos);
  CHECK(css.find(":root[data-theme=dark]{--chart-background:#14171c;") != std::string::npos);
  const std::size_t paper = css.find("@media print{:root,");
  REQUIRE(paper != std::string::npos);
  CHECK(paper > css.rfind("--chart-background:#14171c;"));
  CHECK(css.find("--chart-background:#ffffff;", paper) != std::string::npos);
  CHECK(css.find(".chart .s9{color:var(--chart-s9)}") != std::string::npos);
  CHECK(css.find('$') == std::string::npos);
}

TEST_CASE("the CSS of a document has no variables") {
  const std::string css = resolved_css(Theme::dark);
  CHECK(css.find("var(") == std::string::npos);
  CHECK(css.find('$') == std::string::npos);
  CHECK(css.find(".chart .s0{color:#239ffd}") != std::string::npos);
}

TEST_CASE("series after the tenth share a class") {
  CHECK(series_class(0) == "s0");
  CHECK(series_class(9) == "s9");
  CHECK(series_class(10) == "sx");
  CHECK(series_class(999) == "sx");
}
