#include "chart/markup.h"

#include <fmt/format.h>

#include <cmath>

#include "util/xml.h"

namespace fib::chart {

std::string pixels(double value) {
  const double rounded = std::round(value * 10) / 10;
  if (rounded == std::round(rounded)) return fmt::format("{:.0f}", rounded + 0.0);  // + 0.0: no "-0"
  return fmt::format("{:.1f}", rounded);
}

std::string element(std::string_view name, std::initializer_list<Attribute> attributes,
                    std::string_view content) {
  std::string result = fmt::format("<{}", name);
  for (const Attribute& attribute : attributes) {
    if (attribute.value.empty()) continue;
    result += fmt::format(" {}=\"{}\"", attribute.name, util::escape_xml(attribute.value));
  }
  if (content.empty()) return result + "/>";
  return fmt::format("{}>{}</{}>", result, content, name);
}

std::string title_element(std::string_view text) {
  return text.empty() ? "" : element("title", {}, util::escape_xml(text));
}

std::string safe_link(std::string_view href) {
  const std::size_t colon = href.find(':');
  const bool relative = colon == std::string_view::npos || href.find_first_of("/?#") < colon;
  const bool web = href.starts_with("http://") || href.starts_with("https://");
  return relative || web ? std::string(href) : "";
}

}  // namespace fib::chart
