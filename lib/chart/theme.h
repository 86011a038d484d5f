#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "chart/chart.h"

// Colours of charts. All functions are pure.
namespace fib::chart {

inline constexpr std::size_t kColours = 10;  // series with a colour of their own

// The hues of Okabe and Ito ("Color Universal Design", 2008) and two more, with lightness and chroma moved
// until each of the ten has a contrast of at least 3 (WCAG 2.1, 1.4.11) to the background and all pairs stay
// apart for normal sight and for simulated protanopia and deuteranopia (Machado and others, 2009).
struct Palette {
  std::string_view background;
  std::string_view text;
  std::string_view muted;  // less important text, contrast of at least 4.5
  std::string_view grid;
  std::string_view axis;
  std::array<std::string_view, kColours> series;
  std::string_view other;  // series after the tenth
  // Fills by tone, each with readable text on them: cells of a matrix.
  std::string_view good;
  std::string_view bad;
  std::string_view warning;
};

[[nodiscard]] const Palette& palette(Theme theme);

// The rules of chart_css() with the colours themselves instead of variables: librsvg and other programs know
// no variables.
[[nodiscard]] std::string resolved_css(Theme theme);

// The class of a series: "s0" to "s9", then "sx".
[[nodiscard]] std::string series_class(std::size_t index);

// The class of a tone: "plain", "good", ...
[[nodiscard]] std::string_view tone_class(Tone tone);

}  // namespace fib::chart
