#pragma once

#include <string>

namespace fib::bench {

// The text with every byte that is not UTF-8 replaced by U+FFFD: compilers and solutions print what they
// like, JSON holds only UTF-8.
[[nodiscard]] std::string valid_utf8(const std::string& text);

}  // namespace fib::bench
