#include "pack/entry_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "util/error.h"

namespace fib::pack {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// The text with each comment as one space.
std::string without_comments(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size(); ++i) {
    std::size_t end = i;
    if (source.substr(i, 2) == "//") {
      end = source.find('\n', i);
    } else if (source.substr(i, 2) == "/*") {
      end = source.find("*/", i + 2);
      if (end != std::string_view::npos) ++end;
    }
    if (end == std::string_view::npos) break;
    text += end == i ? source[i] : ' ';
    i = end;
  }
  return text;
}

// Where `word` ends when it stands at `at`, alone; npos otherwise.
std::size_t word_end(std::string_view text, std::size_t at, std::string_view word) {
  const std::size_t end = at + word.size();
  if (text.substr(at, word.size()) != word) return std::string_view::npos;
  if (at > 0 && is_word(text[at - 1])) return std::string_view::npos;
  return end < text.size() && is_word(text[end]) ? std::string_view::npos : end;
}

bool python_defines(std::string_view text, std::string_view symbol) {
  for (std::size_t line = 0; line < text.size(); ++line) {
    std::string_view rest = text.substr(line, text.find('\n', line) - line);
    line += rest.size();
    if (rest.starts_with("async ")) rest.remove_prefix(6);
    for (const std::string_view keyword : {"def ", "class "}) {
      if (!rest.starts_with(keyword)) continue;
      const std::string_view name = rest.substr(skip_spaces(rest, keyword.size()));
      if (word_end(name, 0, symbol) != std::string_view::npos) return true;
    }
  }
  return false;
}

// Where the parentheses that open at `at` close; npos when they do not, or farther away than any parameters
// do.
std::size_t closing(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 4'000;
  const std::size_t end = std::min(text.size(), at + kLongest);
  int depth = 0;
  for (; at < end; ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

// Whether a function's body follows its name that ends at `at`: "(...)", perhaps "noexcept" or "-> type",
// "{".
bool body_follows(std::string_view text, std::size_t at) {
  at = skip_spaces(text, at);
  if (at >= text.size() || text[at] != '(') return false;
  at = closing(text, at);
  if (at == std::string_view::npos) return false;
  const std::string_view between = "->:<>*&";
  for (++at; at < text.size(); ++at) {
    if (text[at] == '{') return true;
    if (!is_word(text[at]) && !is_space(text[at]) && between.find(text[at]) == std::string_view::npos) break;
  }
  return false;
}

// Whether the name that begins at `at` is exported: TVM_FFI_DLL_EXPORT_TYPED_FUNC(name or .def("name.
bool is_exported(std::string_view text, std::size_t at) {
  for (const std::string_view before : {"TVM_FFI_DLL_EXPORT_TYPED_FUNC(", ".def(\""}) {
    if (text.substr(0, at).ends_with(before)) return true;
  }
  return false;
}

bool c_defines(std::string_view source, std::string_view symbol) {
  const std::string text = without_comments(source);
  for (std::size_t at = text.find(symbol); at != std::string::npos; at = text.find(symbol, at + 1)) {
    const std::size_t end = word_end(text, at, symbol);
    if (end == std::string::npos) continue;
    if (is_exported(text, at) || body_follows(text, end)) return true;
  }
  return false;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

}  // namespace

bool defines(const model::SourceFile& source, std::string_view symbol) {
  if (symbol.empty()) return false;
  return source.path.ends_with(".py") ? python_defines(source.content, symbol)
                                      : c_defines(source.content, symbol);
}

std::string complete_entry_point(const std::string& entry_point,
                                 const std::vector<model::SourceFile>& sources) {
  if (entry_point.find("::") != std::string::npos) return entry_point;
  if (sources.size() == 1) return sources.front().path + "::" + entry_point;
  std::vector<std::string> files;
  for (const model::SourceFile& source : sources) {
    if (defines(source, entry_point)) files.push_back(source.path);
  }
  if (files.size() == 1) return files.front() + "::" + entry_point;
  const std::string who = files.empty() ? "no source defines it" : listed(files) + " define it";
  throw Error("entry_point \"{0}\" names no file, and {1}; write \"<file>::{0}\"", entry_point, who);
}

}  // namespace fib::pack
