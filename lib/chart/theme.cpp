#include "chart/theme.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace fib::chart {
namespace {

constexpr Palette kLight{"#ffffff",
                         "#1b1f24",
                         "#59636e",
                         "#e6e9ed",
                         "#9aa4af",
                         {"#1567e3", "#c50902", "#006e63", "#d375ab", "#c68701", "#00386a", "#4010a6",
                          "#c02ca6", "#808469", "#4a3029"},
                         "#aeb6bf",
                         "#1a7f37",
                         "#c50902",
                         "#9a6700"};

constexpr Palette kDark{"#14171c",
                        "#e6e9ed",
                        "#9aa4af",
                        "#2a3038",
                        "#59636e",
                        {"#239ffd", "#dd3e06", "#86ffb2", "#f04eb0", "#faad04", "#add0fa", "#6767e9",
                         "#a0686e", "#f2ed00", "#ca9270"},
                        "#4d5661",
                        "#3fb950",
                        "#f85149",
                        "#d29922"};

// The rules; $name$ is a colour. Marks take the colour of their group.
constexpr std::string_view kRules = R"(.chart{font:12px system-ui,sans-serif}
.chart text{fill:$muted$}
.chart .h{font-size:15px;font-weight:600;fill:$text$}
.chart .n{font-size:11px}
.chart .k{fill:$text$;paint-order:stroke;stroke:$background$;stroke-width:3px;stroke-linejoin:round}
.chart .e{text-anchor:end}
.chart .c{text-anchor:middle}
.chart .g{stroke:$grid$}
.chart .a{stroke:$axis$}
.chart .r{stroke:$text$;stroke-dasharray:4 3}
.chart .o{paint-order:stroke;stroke:$background$;stroke-width:4px;stroke-linejoin:round;fill:$text$}
.chart .l{fill:none;stroke:currentColor;stroke-width:2px;stroke-linejoin:round;stroke-linecap:round}
.chart .p{fill:currentColor;stroke:$background$}
.chart .p.w{fill:$background$;stroke:currentColor;stroke-width:1.8px}
.chart .d{stroke:currentColor;stroke-width:3px;stroke-linecap:round}
.chart .i{opacity:0;fill:currentColor}
.chart .f{fill:none;stroke:currentColor;stroke-width:2px}
.chart .u{fill:currentColor;stroke:$text$}
.chart .v{fill:currentColor;opacity:.16}
.chart .b{fill:currentColor}
.chart .x{fill:$background$;stroke:currentColor;stroke-width:1.5px}
.chart .y{fill:none;stroke:currentColor;stroke-width:1.5px}
.chart .m{stroke:currentColor;stroke-width:4px}
.chart .q{fill:none;stroke:$muted$;stroke-width:1.5px}
.chart .j{stroke:none}
.chart .t{fill:currentColor;opacity:.22}
.chart .sx{color:$other$}
.chart .sx .l{stroke-width:1px}
.chart .plain{color:$muted$}
.chart .good{color:$good$}
.chart .bad{color:$bad$}
.chart .warning{color:$warning$}
.chart .muted{color:$axis$}
.chart a{cursor:pointer}
)";

// Only pages have a pointer and a width of their own.
constexpr std::string_view kPageRules =
    R"(.chart{display:block;width:100%;max-width:700px;height:auto}
.chart .i:hover{opacity:1}
.chart a:hover .k{text-decoration:underline}
.chart [data-series]:hover .l{stroke-width:3px}
)";

using Colours = std::vector<std::pair<std::string, std::string_view>>;

Colours colours_of(const Palette& palette) {
  Colours colours = {{"background", palette.background},
                     {"text", palette.text},
                     {"muted", palette.muted},
                     {"grid", palette.grid},
                     {"axis", palette.axis},
                     {"other", palette.other},
                     {"good", palette.good},
                     {"bad", palette.bad},
                     {"warning", palette.warning}};
  for (std::size_t i = 0; i < kColours; ++i) colours.emplace_back(fmt::format("s{}", i), palette.series[i]);
  return colours;
}

std::string all_rules() {
  std::string rules(kRules);
  for (std::size_t i = 0; i < kColours; ++i) rules += fmt::format(".chart .s{0}{{color:$s{0}$}}\n", i);
  return rules;
}

// The rules with each $name$ replaced by what `text_of` makes of name and colour.
template <typename TextOf>
std::string with_colours(std::string rules, const Palette& palette, TextOf&& text_of) {
  for (const auto& colour : colours_of(palette)) {
    const std::string mark = "$" + colour.first + "$";
    const std::string text = text_of(colour);
    for (std::size_t at = rules.find(mark); at != std::string::npos;
         at = rules.find(mark, at + text.size())) {
      rules.replace(at, mark.size(), text);
    }
  }
  return rules;
}

std::string variables(const Palette& palette) {
  std::string result;
  for (const auto& colour : colours_of(palette))
    result += fmt::format("--chart-{}:{};", colour.first, colour.second);
  return result;
}

}  // namespace

const Palette& palette(Theme theme) { return theme == Theme::light ? kLight : kDark; }

std::string chart_css() {
  const std::string dark = variables(kDark);
  return fmt::format(":root{{{}}}\n", variables(kLight)) +
         fmt::format("@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{}}}}}\n", dark) +
         fmt::format(":root[data-theme=dark]{{{}}}\n", dark) +
         fmt::format("@media print{{:root,:root:not([data-theme=light]),:root[data-theme=dark]{{{}}}}}\n",
                     variables(kLight)) +
         with_colours(all_rules(), kLight,
                      [](const auto& colour) { return fmt::format("var(--chart-{})", colour.first); }) +
         std::string(kPageRules);
}

std::string resolved_css(Theme theme) {
  return with_colours(all_rules(), palette(theme),
                      [](const auto& colour) { return std::string(colour.second); });
}

std::string series_class(std::size_t index) { return index < kColours ? fmt::format("s{}", index) : "sx"; }

std::string_view tone_class(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::warning:
      return "warning";
    case Tone::muted:
      return "muted";
    case Tone::plain:
      break;
  }
  return "plain";
}

}  // namespace fib::chart
