#pragma once

#include <string>
#include <string_view>

// The size of text in an SVG, which is laid out before any font is known. All functions are pure.
namespace fib::chart {

// Width in pixels at a font size in pixels, by the advances of DejaVu Sans, which is wider than the other
// usual fonts of user interfaces: text takes at most this much room.
[[nodiscard]] double text_width(std::string_view text, double font_size);

// `text` (UTF-8) cut to at most `width` pixels. The cut is marked with "…" and lies in the middle, since
// names of kernels differ at their ends as often as at their beginnings.
[[nodiscard]] std::string shorten_to(std::string_view text, double width, double font_size);

}  // namespace fib::chart
