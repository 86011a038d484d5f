#include "chart/roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chart/frame.h"
#include "chart/markup.h"
#include "chart/number_text.h"

namespace fib::chart {
namespace {

double highest(const std::vector<Roof>& roofs) {
  double value = 0;
  for (const Roof& roof : roofs) value = std::max(value, roof.value);
  return value;
}

// Where the rising part of a roof begins and ends, as intensities within the plot.
Range rise(const Roofs& roofs, const Roof& bandwidth, const RoofScales& at) {
  const double top = roofs.peaks.empty() ? at.y.domain.high : highest(roofs.peaks);
  return {std::max(at.x.domain.low, at.y.domain.low / bandwidth.value),
          std::min(at.x.domain.high, top / bandwidth.value)};
}

double ridge(const Roofs& roofs, const Roof& peak, const RoofScales& at) {
  if (roofs.bandwidths.empty()) return at.x.domain.low;
  return std::max(at.x.domain.low, peak.value / highest(roofs.bandwidths));
}

std::string segment(const Roof& roof, const RoofScales& at, Range x, double y1, double y2) {
  const std::string path = fmt::format("M{} {}L{} {}", pixels(at.x.at(x.low)), pixels(at.y.at(y1)),
                                       pixels(at.x.at(x.high)), pixels(at.y.at(y2)));
  return element("path", {{"d", path}, {"data-roof", roof.name}, {"data-value", exact_text(roof.value)}},
                 title_element(roof.name));
}

// Along the slope, from its lower end.
std::string bandwidth_label(const Roofs& roofs, const Roof& bandwidth, const RoofScales& at) {
  const Range x = rise(roofs, bandwidth, at);
  if (x.low >= x.high || bandwidth.name.empty()) return "";
  const Spot begin{at.x.at(x.low), at.y.at(x.low * bandwidth.value)};
  const double dx = at.x.at(x.high) - begin.x;
  const double dy = at.y.at(x.high * bandwidth.value) - begin.y;
  const std::string place = fmt::format("translate({} {}) rotate({})", pixels(begin.x), pixels(begin.y),
                                        pixels(std::atan2(dy, dx) * 180 / std::numbers::pi));
  return element("g", {{"transform", place}},
                 label(bandwidth.name, 12, -6, std::hypot(dx, dy) - 14, "n o", kNoteSize));
}

std::vector<Roof> possible(std::vector<Roof> roofs) {
  std::erase_if(roofs, [](const Roof& roof) { return !can_show(roof.value, Spacing::log); });
  return roofs;
}

}  // namespace

Roofs possible_roofs(const RooflineChart& chart) {
  return {possible(chart.bandwidths), possible(chart.peaks)};
}

void add_roofs(const Roofs& roofs, std::vector<double>& xs, std::vector<double>& ys) {
  for (const Roof& peak : roofs.peaks) {
    ys.push_back(std::min(peak.value * 1.6, 1e280));
    for (const Roof& bandwidth : roofs.bandwidths) {
      const double at = peak.value / bandwidth.value;
      xs.insert(xs.end(), {at / 4, at * 8});
      ys.push_back(peak.value / 10);
    }
  }
}

std::string draw_roofs(const Roofs& roofs, const RoofScales& at) {
  std::string markup;
  for (const Roof& bandwidth : roofs.bandwidths) {
    const Range x = rise(roofs, bandwidth, at);
    if (x.low < x.high)
      markup += segment(bandwidth, at, x, x.low * bandwidth.value, x.high * bandwidth.value);
  }
  for (const Roof& peak : roofs.peaks) {
    const Range x{ridge(roofs, peak, at), at.x.domain.high};
    if (x.low < x.high) markup += segment(peak, at, x, peak.value, peak.value);
  }
  return markup.empty() ? "" : element("g", {{"class", "q"}}, markup);
}

std::string roof_labels(const Roofs& roofs, const RoofScales& at) {
  std::string markup;
  for (const Roof& peak : roofs.peaks) {
    markup += label(peak.name, at.x.to - 2, at.y.at(peak.value) - 5, at.x.to - at.x.from, "n e o", kNoteSize);
  }
  for (const Roof& bandwidth : roofs.bandwidths) markup += bandwidth_label(roofs, bandwidth, at);
  return markup;
}

}  // namespace fib::chart
