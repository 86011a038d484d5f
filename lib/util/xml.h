#pragma once

#include <string>
#include <string_view>

namespace fib::util {

// Text as content of an element or value of an attribute: markup escaped, tabs and line ends as references,
// bytes that are no UTF-8 and characters that XML 1.0 has no place for replaced by U+FFFD. Pure.
[[nodiscard]] std::string escape_xml(std::string_view text);

}  // namespace fib::util
