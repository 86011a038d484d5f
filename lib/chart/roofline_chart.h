#pragma once

#include <string>
#include <vector>

#include "chart/chart.h"

namespace fib::chart {

// What a device can do at most: a bandwidth in bytes/s or a peak in flop/s.
struct Roof {
  std::string name{};  // "HBM 4.8 TB/s", "FP16 tensor 989 Tflop/s"
  double value = 0;
};

struct RooflinePoint {
  double intensity = 0;    // flop/byte
  double performance = 0;  // flop/s
  std::string note{};      // more lines of the tooltip
};

struct RooflineSeries {
  std::string name{};
  std::vector<RooflinePoint> points{};
};

// Performance over arithmetic intensity, both log. A roof rises with each bandwidth (flop/s = bytes/s times
// flop/byte) up to the highest peak, and is flat at each peak from where the highest bandwidth reaches it.
// Roofs whose value is not positive are left out, as are such points.
struct RooflineChart {
  std::string title{};
  std::string subtitle{};
  std::vector<Roof> bandwidths{};
  std::vector<Roof> peaks{};
  std::vector<RooflineSeries> series{};
  double height = 380;  // of the whole chart without its legend, in pixels
};

// Series as in a LineChart, without lines; roofs are path elements with data-roof (name) and data-value.
[[nodiscard]] std::string to_svg(const RooflineChart& chart, const SvgOptions& options = {});

}  // namespace fib::chart
