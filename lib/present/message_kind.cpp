#include "present/message_kind.h"

#include <algorithm>
#include <cctype>

namespace fib::present {

std::string message_kind(std::string_view text) {
  std::string kind;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const bool is_own = std::any_of(word.begin(), word.end(), [](unsigned char c) {
      return std::isdigit(c) != 0 ||
             std::string_view("/._'\"").find(static_cast<char>(c)) != std::string_view::npos;
    });
    kind += is_own ? "*" : word;
    kind += ' ';
    begin = end + 1;
  }
  return kind;
}

}  // namespace fib::present
