#pragma once

#include <cctype>
#include <cstddef>
#include <string_view>

// Characters as C++ has them, for what reads sources without a compiler. Pure.
namespace fib::compile {

// Whether a character may stand in a name, a keyword or a number.
[[nodiscard]] inline bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

[[nodiscard]] inline bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Where the spaces that end at `end` begin.
[[nodiscard]] inline std::size_t skip_spaces_back(std::string_view text, std::size_t end) {
  while (end > 0 && is_space(text[end - 1])) --end;
  return end;
}

}  // namespace fib::compile
