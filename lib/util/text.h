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

// The same with large ones.
[[nodiscard]] inline std::string raised(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

}  // namespace fib::util
