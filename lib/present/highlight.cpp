#include "present/highlight.h"

#include <algorithm>
#include <array>
#include <string>

namespace fib::present {
namespace {

constexpr std::array<std::string_view, 35> kPython{
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

constexpr std::array<std::string_view, 97> kCpp{"alignas",
                                                "alignof",
                                                "asm",
                                                "auto",
                                                "bool",
                                                "break",
                                                "case",
                                                "catch",
                                                "char",
                                                "char16_t",
                                                "char32_t",
                                                "char8_t",
                                                "class",
                                                "co_await",
                                                "co_return",
                                                "co_yield",
                                                "concept",
                                                "const",
                                                "const_cast",
                                                "consteval",
                                                "constexpr",
                                                "constinit",
                                                "continue",
                                                "decltype",
                                                "default",
                                                "delete",
                                                "do",
                                                "double",
                                                "dynamic_cast",
                                                "else",
                                                "enum",
                                                "explicit",
                                                "export",
                                                "extern",
                                                "false",
                                                "float",
                                                "for",
                                                "friend",
                                                "goto",
                                                "if",
                                                "inline",
                                                "int",
                                                "int16_t",
                                                "int32_t",
                                                "int64_t",
                                                "int8_t",
                                                "long",
                                                "mutable",
                                                "namespace",
                                                "new",
                                                "noexcept",
                                                "nullptr",
                                                "operator",
                                                "private",
                                                "protected",
                                                "public",
                                                "register",
                                                "reinterpret_cast",
                                                "requires",
                                                "restrict",
                                                "return",
                                                "short",
                                                "signed",
                                                "size_t",
                                                "sizeof",
                                                "static",
                                                "static_assert",
                                                "static_cast",
                                                "struct",
                                                "switch",
                                                "template",
                                                "this",
                                                "thread_local",
                                                "throw",
                                                "true",
                                                "try",
                                                "typedef",
                                                "typename",
                                                "uint16_t",
                                                "uint32_t",
                                                "uint64_t",
                                                "uint8_t",
                                                "union",
                                                "unsigned",
                                                "using",
                                                "virtual",
                                                "void",
                                                "volatile",
                                                "while",
                                                "__constant__",
                                                "__device__",
                                                "__forceinline__",
                                                "__global__",
                                                "__host__",
                                                "__launch_bounds__",
                                                "__restrict__",
                                                "__shared__"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Reads from left to right; every step takes at least one byte.
class Scanner {
 public:
  Scanner(std::string_view source, Syntax syntax) : source_(source), python_(syntax == Syntax::python) {}

  std::vector<Token> scan() {
    while (at_ < source_.size()) step();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char here(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool starts(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  // Takes everything up to `end`, which is at most the end of the source.
  void take(std::size_t end, TokenKind kind) {
    tokens_.push_back({at_, end, kind});
    at_ = end;
  }

  void step() {
    const char c = here();
    const bool first = first_in_line_;
    first_in_line_ = c == '\n' || (first && (c == ' ' || c == '\t'));
    if (c == '\n') continued_ = at_ > 0 && source_[at_ - 1] == '\\';
    if (is_comment()) return;
    if (first && !continued_ && c == (python_ ? '@' : '#'))
      return take(directive_end(), TokenKind::directive);
    if (c == '"' || c == '\'') return take(string_end(at_, false), TokenKind::string);
    if (is_digit(c) || (c == '.' && is_digit(here(1)))) return take(number_end(), TokenKind::number);
    if (is_word(c)) return word();
    ++at_;
  }

  bool is_comment() {
    if (python_ ? here() == '#' : starts("//")) {
      take(line_end(at_), TokenKind::comment);
      return true;
    }
    if (python_ || !starts("/*")) return false;
    const std::size_t close = source_.find("*/", at_ + 2);
    take(close == std::string_view::npos ? source_.size() : close + 2, TokenKind::comment);
    return true;
  }

  // The end of the line; in cpp a backslash before it joins the next one.
  [[nodiscard]] std::size_t line_end(std::size_t from) const {
    std::size_t end = source_.find('\n', from);
    while (!python_ && end != std::string_view::npos && end > 0 && source_[end - 1] == '\\')
      end = source_.find('\n', end + 1);
    return std::min(end, source_.size());
  }

  // "#  include", "@torch.no_grad".
  [[nodiscard]] std::size_t directive_end() const {
    std::size_t end = at_ + 1;
    while (end < source_.size() && (source_[end] == ' ' || source_[end] == '\t')) ++end;
    while (end < source_.size() && (is_word(source_[end]) || (python_ && source_[end] == '.'))) ++end;
    return end;
  }

  // Of the string whose quote stands at `quote`.
  [[nodiscard]] std::size_t string_end(std::size_t quote, bool raw) const {
    const char mark = source_[quote];
    const std::string triple(3, mark);
    const bool lines = python_ && source_.substr(quote).starts_with(triple);
    std::size_t i = quote + (lines ? 3 : 1);
    for (; i < source_.size(); ++i) {
      if (source_[i] == '\\' && (python_ || !raw)) {
        ++i;  // also a joined line
      } else if (lines ? source_.substr(i).starts_with(triple) : source_[i] == mark) {
        return i + (lines ? 3 : 1);
      } else if (!lines && source_[i] == '\n') {
        return i;
      }
    }
    return source_.size();
  }

  // R"mark( ... )mark", the quote at `quote`.
  [[nodiscard]] std::size_t raw_end(std::size_t quote) const {
    constexpr std::size_t kLongestMark = 16;
    const std::size_t after_quote = source_.substr(quote, kLongestMark + 2).find('(');
    if (after_quote == std::string_view::npos) return string_end(quote, true);
    const std::size_t open = quote + after_quote;
    std::string close = ")";
    close.append(source_.substr(quote + 1, open - quote - 1)).append("\"");
    const std::size_t end = source_.find(close, open);
    return end == std::string_view::npos ? source_.size() : end + close.size();
  }

  [[nodiscard]] std::size_t number_end() const {
    std::size_t end = at_ + 1;
    while (end < source_.size()) {
      const char c = source_[end];
      const char before = source_[end - 1];
      const bool hex = source_.substr(at_).starts_with("0x") || source_.substr(at_).starts_with("0X");
      const bool exponent = hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
      const bool sign = (c == '+' || c == '-') && exponent;
      const bool separator = !python_ && c == '\'' && end + 1 < source_.size() && is_word(source_[end + 1]);
      if (!is_word(c) && c != '.' && !sign && !separator) break;
      ++end;
    }
    return end;
  }

  void word() {
    std::size_t end = at_;
    while (end < source_.size() && is_word(source_[end])) ++end;
    const std::string_view text = source_.substr(at_, end - at_);
    const char next = end < source_.size() ? source_[end] : '\0';
    if ((next == '"' || next == '\'') && is_prefix(text)) {
      const bool raw = !python_ && next == '"' && text.back() == 'R';
      return take(raw ? raw_end(end) : string_end(end, false), TokenKind::string);
    }
    if (python_ ? is_one_of(kPython, text) : is_one_of(kCpp, text)) return take(end, TokenKind::keyword);
    at_ = end;
  }

  // What may stand right before a quote.
  [[nodiscard]] bool is_prefix(std::string_view text) const {
    if (python_) return text.size() <= 2 && text.find_first_not_of("rRbBuUfF") == std::string_view::npos;
    if (text.back() == 'R') text.remove_suffix(1);
    return text.empty() || text == "L" || text == "u" || text == "U" || text == "u8";
  }

  std::string_view source_;
  bool python_;
  std::size_t at_ = 0;
  bool first_in_line_ = true;
  bool continued_ = false;  // the line before ends with a backslash
  std::vector<Token> tokens_;
};

}  // namespace

Syntax syntax_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::string_view extension = dot == std::string_view::npos ? "" : path.substr(dot);
  if (extension == ".py") return Syntax::python;
  constexpr std::array<std::string_view, 9> kExtensions{".cu", ".cuh", ".cpp", ".cc", ".cxx",
                                                        ".c",  ".h",   ".hpp", ".hxx"};
  return is_one_of(kExtensions, extension) ? Syntax::cpp : Syntax::none;
}

std::vector<Token> highlight(std::string_view source, Syntax syntax) {
  if (syntax == Syntax::none) return {};
  return Scanner(source, syntax).scan();
}

}  // namespace fib::present
