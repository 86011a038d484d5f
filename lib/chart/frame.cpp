#include "chart/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "chart/markup.h"
#include "chart/text_width.h"
#include "chart/theme.h"
#include "util/xml.h"

namespace fib::chart {
namespace {

constexpr double kTitleSize = 15;

// Attributes and first elements of a document that stands for itself.
std::string standalone_head(const Caption& caption, double height, const SvgOptions& options) {
  const Palette& colours = palette(options.theme);
  return title_element(caption.title) + element("style", {}, resolved_css(options.theme)) +
         element("rect", {{"width", pixels(options.width)},
                          {"height", pixels(height)},
                          {"fill", std::string(colours.background)}});
}

}  // namespace

std::string svg_document(const Caption& caption, const std::string& description, double height,
                         const std::string& body, const SvgOptions& options) {
  const bool alone = options.standalone;
  const std::string name(caption.title.empty() ? "chart" : caption.title);
  const std::string head = alone ? standalone_head(caption, height, options) : "";
  return element("svg",
                 {{"xmlns", alone ? "http://www.w3.org/2000/svg" : ""},
                  {"class", "chart"},
                  {"width", alone ? pixels(options.width) : ""},
                  {"height", alone ? pixels(height) : ""},
                  {"viewBox", fmt::format("0 0 {} {}", pixels(options.width), pixels(height))},
                  {"role", "img"},
                  {"aria-label", name}},
                 head + element("desc", {}, util::escape_xml(description)) + body) +
         "\n";
}

std::string empty_document(const Caption& caption, const std::string& note, const SvgOptions& options) {
  const Block top = header(caption, options);
  std::string body =
      top.markup + element("text",
                           {{"class", "c"}, {"x", pixels(options.width / 2)}, {"y", pixels(top.height + 30)}},
                           "no data");
  if (!note.empty()) {
    body += label(note, options.width / 2, top.height + 50, options.width - 2 * kMargin, "n c", kNoteSize);
  }
  return svg_document(caption, "no data", top.height + 64, body, options);
}

Block header(const Caption& caption, const SvgOptions& options) {
  const double width = options.width - 2 * kMargin;
  Block block{"", kMargin};
  if (options.title && !caption.title.empty()) {
    block.markup += label(caption.title, kMargin, block.height + 13, width, "h", kTitleSize * 1.07);
    block.height += 22;
  }
  if (!caption.subtitle.empty()) {
    block.markup += label(caption.subtitle, kMargin, block.height + 11, width, "");
    block.height += kLineHeight;
  }
  return block;
}

std::string label(std::string_view text, double x, double y, double width, const std::string& css,
                  double font_size) {
  const std::string shown = shorten_to(text, width, font_size);
  const std::string whole = shown == text ? "" : title_element(text);
  return element("text", {{"class", css}, {"x", pixels(x)}, {"y", pixels(y)}},
                 whole + util::escape_xml(shown));
}

Range axis_range(const std::vector<double>& values, const Axis& axis, std::size_t most) {
  auto all = values;
  if (axis.zero && axis.spacing == Spacing::linear) all.push_back(0);
  const Range unit = axis.spacing == Spacing::linear ? Range{0, 1} : Range{1, 10};
  Range range = nice_range(range_of(all, axis.spacing).value_or(unit), axis.spacing, most);
  const Range wish{axis.low.value_or(range.low), axis.high.value_or(range.high)};
  const bool possible = can_show(wish.low, axis.spacing) && can_show(wish.high, axis.spacing);
  return possible && wish.low < wish.high ? wish : range;
}

std::vector<Tick> fitting_ticks(const Scale& scale, Unit unit, std::size_t most) {
  constexpr double kGap = 14;
  for (;; --most) {
    auto ticks = ticks_of(scale.domain, scale.spacing, unit, most);
    double end = scale.from - 1e6;
    bool fits = true;
    for (const Tick& tick : ticks) {
      if (tick.label.empty()) continue;
      const double half = text_width(tick.label, kFontSize) / 2;
      fits = fits && scale.at(tick.value) - half >= end;
      end = scale.at(tick.value) + half + kGap;
    }
    if (fits || most <= 2) return ticks;
  }
}

double widest_label(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.label, kFontSize));
  return width;
}

std::string left_out_note(std::size_t count, bool any_log) {
  if (count == 0) return "";
  return fmt::format("{} value{} not drawn: not finite{}", count, count == 1 ? " is" : "s are",
                     any_log ? ", or not above 0 on a log axis" : "");
}

}  // namespace fib::chart
