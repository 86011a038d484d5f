#include <fmt/format.h>

#include <algorithm>

#include "chart/marks.h"
#include "chart/markup.h"
#include "chart/text_width.h"
#include "chart/theme.h"

// The legend of marks.h.
namespace fib::chart {
namespace {

constexpr double kSwatch = 22;
constexpr double kGap = 18;
constexpr double kLongestName = 260;

std::vector<LegendItem> entries_of(const std::vector<LegendItem>& items) {
  std::vector<LegendItem> entries;
  std::size_t others = 0;
  for (const LegendItem& item : items) {
    if (item.index < kColours) entries.push_back(item);
    others += item.index < kColours ? 0 : 1;
  }
  if (others > 0)
    entries.push_back(
        {fmt::format("{} other{}", others, others == 1 ? "" : "s"), kColours, items.front().joined});
  return entries;
}

double entry_width(const LegendItem& item) {
  return kSwatch + 6 + std::min(text_width(item.name, kFontSize), kLongestName);
}

// Names that do not fit into one row stand in columns of the widest one's width; 0: side by side.
double column_width(const std::vector<LegendItem>& entries, double room) {
  double all = 0;
  double widest = 0;
  for (const LegendItem& entry : entries) {
    all += entry_width(entry) + kGap;
    widest = std::max(widest, entry_width(entry));
  }
  return all - kGap > room && 2 * widest + kGap <= room ? widest : 0;
}

std::string swatch(const LegendItem& item, double x, double y, MarkerStyle style) {
  const bool shapes = style == MarkerStyle::shapes;
  std::string markup;
  if (item.joined)
    markup += element(
        "path", {{"class", "l"}, {"d", fmt::format("M{} {}h{}", pixels(x), pixels(y), pixels(kSwatch))}});
  if (shapes || !item.joined) markup += marker(item.index, MarkerStyle::shapes, x + kSwatch / 2, y);
  return element("g", {{"class", series_class(item.index)}}, markup);
}

}  // namespace

Block legend(const std::vector<LegendItem>& items, double left, double right, double top, MarkerStyle style) {
  Block block;
  const auto entries = entries_of(items);
  const double column = column_width(entries, right - left);
  double x = left;
  for (const LegendItem& item : entries) {
    const double width = entry_width(item);
    if (x > left && x + width > right) {
      x = left;
      block.height += kLineHeight;
    }
    const double y = top + block.height + 8;
    block.markup += swatch(item, x, y, style) + label(item.name, x + kSwatch + 6, y + 4, kLongestName, "k");
    x += (column > 0 ? column : width) + kGap;
  }
  if (!entries.empty()) block.height += kLineHeight + 4;
  return block;
}

}  // namespace fib::chart
