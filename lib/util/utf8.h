#pragma once

#include <cstddef>
#include <string>

namespace fib::util {

// The text with every byte that is not UTF-8 replaced by U+FFFD: compilers and solutions print what they
// like, JSON holds only UTF-8.
[[nodiscard]] std::string valid_utf8(const std::string& text);

// At most `limit` bytes of valid UTF-8 text, cut between characters and marked as cut.
[[nodiscard]] std::string cut_utf8(std::string text, std::size_t limit);

}  // namespace fib::util
