#include "chart/category_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "chart/markup.h"
#include "chart/text_width.h"
#include "util/xml.h"

namespace fib::chart {
namespace {

constexpr double kLongest = 160;  // pixels of a label
constexpr std::size_t kMostMarks = 150;

// Lines of a label are behind each other in it.
std::vector<std::string_view> lines_of(std::string_view label) {
  const std::size_t end = label.find('\n');
  if (end == std::string_view::npos) return {label};
  return {label.substr(0, end), label.substr(end + 1)};
}

double half_width(const Tick& tick) {
  double width = 0;
  for (const std::string_view line : lines_of(tick.label))
    width = std::max(width, text_width(line, kFontSize));
  return width / 2;
}

// The outermost labels stay inside of the drawing.
double label_middle(const Tick& tick, const Scale& scale, double width) {
  const double half = half_width(tick);
  return std::clamp(scale.at(tick.value), std::min(half + 2, width / 2),
                    std::max(width - half - 2, width / 2));
}

bool have_room(const std::vector<Tick>& ticks, const Scale& scale, double width) {
  double end = 0;
  for (const Tick& tick : ticks) {
    const double half = half_width(tick);
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
      std::string label = shorten_to(categories[i].label, kLongest, kFontSize);
      if (!categories[i].second.empty())
        label += "\n" + shorten_to(categories[i].second, kLongest, kFontSize);
      ticks.push_back({static_cast<double>(i), label});
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
    const std::string name = category.whole_label();
    const std::string tooltip = category.note.empty() ? name : name + "\n" + category.note;
    double y = plot.bottom + 16;
    for (const std::string_view line : lines_of(tick.label)) {
      markup +=
          element("text", {{"class", "c"}, {"x", pixels(label_middle(tick, scale, width))}, {"y", pixels(y)}},
                  title_element(tooltip) + util::escape_xml(line));
      y += kLineHeight;
    }
  }
  return markup;
}

}  // namespace fib::chart
