#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fib::python {

struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;  // bytes it takes; 0 when the bytes are not UTF-8
};

// The code point that starts at byte `at` of `text`. Overlong forms and surrogates are not UTF-8.
[[nodiscard]] CodePoint decode_utf8(std::string_view text, std::size_t at);

void append_utf8(std::string& text, char32_t value);

// Whether a code point beyond ASCII may stand in a name. Generous: letters of all scripts, but no spaces,
// punctuation, arrows, mathematical signs, box drawing or emoji.
[[nodiscard]] bool is_identifier_character(char32_t value);

}  // namespace fib::python
