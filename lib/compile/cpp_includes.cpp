#include "compile/cpp_includes.h"

#include <algorithm>

#include "compile/cpp_characters.h"
#include "compile/cpp_source.h"

namespace fib::compile {
namespace {

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

bool skip(std::string_view& text, std::string_view word) {
  skip_blanks(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

}  // namespace

std::vector<std::string> included_headers(std::string_view source) {
  std::vector<std::string> headers;
  while (!source.empty()) {
    const auto end = std::min(source.find('\n'), source.size());
    auto line = source.substr(0, end);
    source.remove_prefix(std::min(end + 1, source.size()));
    if (!skip(line, "#") || !skip(line, "include")) continue;
    skip_blanks(line);
    if (line.empty() || (line[0] != '<' && line[0] != '"')) continue;
    const auto close = line.find(line[0] == '<' ? '>' : '"', 1);
    if (close != std::string_view::npos) headers.emplace_back(line.substr(1, close - 1));
  }
  return headers;
}

bool names_something_with(std::string_view source, std::string_view beginning) {
  if (source.find(beginning) == std::string_view::npos) return false;
  const std::string code = blanked(source);
  for (auto at = code.find(beginning); at != std::string::npos; at = code.find(beginning, at + 1)) {
    if (at == 0 || !is_word(code[at - 1])) return true;
  }
  return false;
}

}  // namespace fib::compile
