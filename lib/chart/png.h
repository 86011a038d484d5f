#pragma once

#include <string>

namespace fib::chart {

// The PNG file of an SVG document, as bytes. `svg` must be standalone (SvgOptions), since librsvg knows no
// CSS variables. `scale` is pixels of the image for one of the viewBox; less where a side would exceed 32767,
// the most that cairo draws. librsvg and cairo are opened at the first call and stay open; fonts are those of
// fontconfig. May be called from any thread. Throws Error when a library is missing (which Debian package has
// it) or the document cannot be read or drawn.
[[nodiscard]] std::string to_png(const std::string& svg, double scale = 2);

// Why to_png() cannot work on this machine, as a sentence; empty when it can.
[[nodiscard]] std::string png_problem();

}  // namespace fib::chart
