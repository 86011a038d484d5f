#include "compile/entry_signature.h"

#include <algorithm>

#include "compile/cpp_characters.h"

namespace fib::compile {
namespace {

std::string without_comments(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.substr(i, 2) == "//") {
      i = source.find('\n', i);
    } else if (source.substr(i, 2) == "/*") {
      i = source.find("*/", i + 2);
      if (i != std::string_view::npos) ++i;
      text += ' ';
      if (i == std::string_view::npos) break;
      continue;
    }
    if (i == std::string_view::npos) break;
    text += source[i];
  }
  return text;
}

// The word that ends at `end`.
std::string word_before(const std::string& text, std::size_t end) {
  end = skip_spaces_back(text, end);
  std::size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

}  // namespace

bool returns_status(std::string_view source, const std::string& symbol) {
  if (symbol.empty() || !std::all_of(symbol.begin(), symbol.end(), is_word)) return false;  // no C function
  const std::string text = without_comments(source);
  for (auto at = text.find(symbol); at != std::string::npos; at = text.find(symbol, at + 1)) {
    std::size_t after = at + symbol.size();
    if (at > 0 && is_word(text[at - 1])) continue;
    while (after < text.size() && is_space(text[after])) ++after;
    if (after >= text.size() || text[after] != '(') continue;
    const std::string type = word_before(text, at);
    if (type == "int" || type == "int32_t") return true;
    if (type == "void") return false;
  }
  return false;
}

}  // namespace fib::compile
