#include "chart/category_axis.h"

#include <fmt/format.h>

#include <algorithm>

#include "chart/markup.h"
#include "chart/text_width.h"
#include "util/xml.h"

namespace fib::chart {
namespace {

constexpr double kLongest = 160;  // pixels of a label
constexpr std::size_t kMostMarks = 150;

// The outermost labels stay inside of the drawing.
double label_middle(const Tick& tick, const Scale& scale, double width) {
  const double half = text_width(tick.label, kFontSize) / 2;
  return std::clamp(scale.at(tick.value), std::min(half + 2, width / 2),
                    std::max(width - half - 2, width / 2));
}

bool have_room(const std::vector<Tick>& ticks, const Scale& scale, double width) {
  double end = 0;
  for (const Tick& tick : ticks) {
    const double half = text_width(tick.label, kFontSize) / 2;
    const double middle = label_middle(tick, scale, width);
    if (middle - half < end) return false;
    end = middle + half + 12;
  }
  return true;
}

// A mark for each category that has room for one.
std::string marks(std::size_t count, const Scale& scale, const Plot& plot) {
  std::string path;
  for (std::size_t i = 0; i < count && count <= kMostMarks; ++i) {
    path += fmt::format("M{} {}v3", pixels(scale.at(static_cast<double>(i))), pixels(plot.bottom));
  }
  return path.empty() ? "" : element("path", {{"class", "a"}, {"d", path}});
}

}  // namespace

std::vector<Tick> category_ticks(const std::vector<Category>& categories, const Scale& scale, double width) {
  const std::size_t count = categories.size();
  std::vector<Tick> ticks;
  for (std::size_t stride = 1; stride <= count; ++stride) {
    ticks.clear();
    for (std::size_t i = (count - 1) % stride; i < count; i += stride) {
      ticks.push_back({static_cast<double>(i), shorten_to(categories[i].label, kLongest, kFontSize)});
    }
    if (have_room(ticks, scale, width)) break;
  }
  return ticks;
}

std::string category_axis(const std::vector<Category>& categories, const Scale& scale,
                          const std::vector<Tick>& ticks, const Plot& plot, double width) {
  std::string markup = marks(categories.size(), scale, plot);
  for (const Tick& tick : ticks) {
    const Category& category = categories[static_cast<std::size_t>(tick.value)];
    const std::string tooltip =
        category.note.empty() ? category.label : category.label + "\n" + category.note;
    markup += element(
        "text",
        {{"class", "c"}, {"x", pixels(label_middle(tick, scale, width))}, {"y", pixels(plot.bottom + 16)}},
        title_element(tooltip) + util::escape_xml(tick.label));
  }
  return markup;
}

}  // namespace fib::chart
