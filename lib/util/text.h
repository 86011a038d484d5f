#pragma once

#include <string>
#include <string_view>

namespace fib::util {

// The text with the letters A to Z as small ones; everything else stays.
[[nodiscard]] inline std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

// The text without what of `spaces` stands at its ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text, std::string_view spaces = " \t\r\n") {
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

// The text with the letters a to z as large ones; everything else stays.
[[nodiscard]] inline std::string raised(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

}  // namespace fib::util
