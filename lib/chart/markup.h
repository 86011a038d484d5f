#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

// The text of SVG elements. All functions are pure.
namespace fib::chart {

// A coordinate or length in pixels with at most one decimal: "12", "12.3".
[[nodiscard]] std::string pixels(double value);

struct Attribute {
  std::string_view name;
  std::string value;  // escaped by element(); an attribute without a value is not written
};

// "<name a="b">content</name>", or "<name a="b"/>" without content. The content is markup.
[[nodiscard]] std::string element(std::string_view name, std::initializer_list<Attribute> attributes,
                                  std::string_view content = "");

// <title>, what browsers show of an element under the pointer; empty for an empty text.
[[nodiscard]] std::string title_element(std::string_view text);

// `href` when a page may link to it: http, https or relative. Empty otherwise, since names in datasets are
// anybody's ("javascript:...").
[[nodiscard]] std::string safe_link(std::string_view href);

}  // namespace fib::chart
