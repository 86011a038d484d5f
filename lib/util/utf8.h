#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fib::util {

// The text with every byte that is not UTF-8 replaced by U+FFFD: compilers and solutions print what they
// like, JSON holds only UTF-8.
[[nodiscard]] std::string valid_utf8(const std::string& text);

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

// The character that `text` (not empty) begins with; a byte that begins no character of UTF-8 as RFC 3629 has
// it (stray, overlong, a surrogate, above U+10FFFF) is a character of its own.
[[nodiscard]] Character first_character(std::string_view text);

// As many whole characters of the text as `limit` bytes hold, from its beginning.
[[nodiscard]] std::string_view beginning_of(std::string_view text, std::size_t limit);
// The same from its end.
[[nodiscard]] std::string_view ending_of(std::string_view text, std::size_t limit);

}  // namespace fib::util
