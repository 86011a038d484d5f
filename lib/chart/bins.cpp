#include <algorithm>
#include <cmath>

#include "chart/box_chart.h"
#include "chart/histogram.h"

// The bins of histogram.h.
namespace fib::chart {
namespace {

// Where bins have equal widths.
double to_axis(double value, Spacing spacing) {
  return spacing == Spacing::linear ? value : std::log2(value);
}
double from_axis(double place, Spacing spacing) {
  return spacing == Spacing::linear ? place : std::exp2(place);
}

std::size_t bin_count(const Quartiles& all, Spacing spacing, const BinLimits& limits) {
  const auto place = [&](double value) { return to_axis(value, spacing); };
  if (all.low == all.high) return 1;
  const auto count = static_cast<double>(all.count);
  const double width = 2 * (place(all.q75) - place(all.q25)) / std::cbrt(count);
  const double bins = width > 0 ? (place(all.high) - place(all.low)) / width : std::log2(count) + 1;
  return static_cast<std::size_t>(
      std::ceil(std::clamp(bins, static_cast<double>(limits.least), static_cast<double>(limits.most))));
}

// The range with both ends moved outwards, by less than one of `bins` bins each, so that `edge` is the edge
// of one; and one bin more.
Range with_edge(Range range, double edge, Spacing spacing, std::size_t& bins) {
  const double low = to_axis(range.low, spacing);
  const double width = (to_axis(range.high, spacing) - low) / static_cast<double>(bins);
  const double at = to_axis(edge, spacing);
  const double below = std::ceil((at - low) / width);
  ++bins;
  return {std::min(range.low, from_axis(at - below * width, spacing)),
          std::max(range.high, from_axis(at + (static_cast<double>(bins) - below) * width, spacing))};
}

std::vector<double> equal_edges(Range range, Spacing spacing, std::size_t bins) {
  std::vector<double> edges;
  const double low = to_axis(range.low, spacing);
  const double width = (to_axis(range.high, spacing) - low) / static_cast<double>(bins);
  for (std::size_t i = 0; i <= bins; ++i)
    edges.push_back(from_axis(low + width * static_cast<double>(i), spacing));
  // Rounding must not put the outermost values outside.
  edges.front() = range.low;
  edges.back() = range.high;
  return edges;
}

}  // namespace

Bins make_bins(const std::vector<double>& values, Spacing spacing, const BinLimits& limits) {
  Bins bins;
  const auto all = quartiles_of(values, spacing);
  bins.left_out = all ? all->left_out : values.size();
  if (!all) return bins;
  std::size_t count = bin_count(*all, spacing, limits);
  Range range = count == 1 ? *range_of({all->low}, spacing) : Range{all->low, all->high};
  const bool has_edge = count > 1 && limits.edge && all->low < *limits.edge && *limits.edge < all->high;
  if (has_edge) range = with_edge(range, *limits.edge, spacing, count);
  bins.edges = equal_edges(range, spacing, count);
  if (has_edge) {
    // Nothing lies beyond the lowest and the highest value.
    bins.edges.front() = std::max(bins.edges.front(), all->low);
    if (all->high > bins.edges[bins.edges.size() - 2])
      bins.edges.back() = std::min(bins.edges.back(), all->high);
    // Exactly.
    const auto distance = [&](double one) { return std::abs(one - *limits.edge); };
    *std::min_element(bins.edges.begin(), bins.edges.end(), [&](double left, double right) {
      return distance(left) < distance(right);
    }) = *limits.edge;
  }
  bins.counts.assign(count, 0);
  for (const double value : values) {
    if (!can_show(value, spacing)) continue;
    const auto above = std::upper_bound(bins.edges.begin() + 1, bins.edges.end() - 1, value);
    ++bins.counts[static_cast<std::size_t>(above - bins.edges.begin()) - 1];
  }
  return bins;
}

}  // namespace fib::chart
