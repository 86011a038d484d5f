#include "python/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "python/unicode.h"

namespace fib::python {
namespace {

constexpr std::size_t kMaxBrackets = 200;
constexpr std::size_t kMaxIndents = 100;
constexpr int kTab = 8;

constexpr std::array<std::string_view, 35> kKeywords = {
    "False",   "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class",   "continue", "def",   "del",    "elif", "else",   "except", "for",      "from",
    "finally", "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",      "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// Longest first, so that the first match is the right one.
constexpr std::array<std::string_view, 47> kOperators = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=",
    "*=",  "/=",  "%=",  "@=",  "&=",  "|=", "^=", ":=", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",
    "^",   "~",   "<",   ">",   "(",   ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  ";",  "="};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_high(c);
}
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }
bool is_string_prefix(std::string_view word) {
  constexpr std::array<std::string_view, 8> kPrefixes = {"r", "b", "u", "f", "br", "rb", "fr", "rf"};
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return std::find(kPrefixes.begin(), kPrefixes.end(), lower) != kPrefixes.end();
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {
    if (source_.starts_with("\xEF\xBB\xBF")) at_ = mark_ = 3;
  }

  std::vector<Token> run() {
    while (at_ < source_.size()) {
      if (at_line_start_ && brackets_.empty()) read_indentation();
      if (at_ < source_.size()) read_token();
    }
    finish();
    return std::move(tokens_);
  }

 private:
  struct Bracket {
    char open;
    int line;
    std::size_t offset;
  };
  // Width with tabs to multiples of 8, and with tabs as 1: the two must order lines the same way.
  struct Indent {
    int width = 0;
    int alternative = 0;
  };

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
    throw error_at(source_, offset, line_, message);
  }

  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void push(TokenKind kind, std::size_t begin) { push(kind, begin, line_); }

  void push(TokenKind kind, std::size_t begin, int line) {
    for (; mark_ < begin; ++mark_) {
      const char c = source_[mark_];
      if (c == '\n' || c == '\r')
        column_ = 1;
      else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)
        ++column_;
    }
    tokens_.push_back({kind, source_.substr(begin, at_ - begin), line, column_});
  }

  // Moves behind "\n", "\r\n" or "\r".
  void skip_newline() {
    at_ += source_.substr(at_).starts_with("\r\n") ? 2U : 1U;
    ++line_;
  }

  void skip_comment() {
    while (at_ < source_.size() && peek() != '\n' && peek() != '\r') ++at_;
  }

  void read_indentation() {
    at_line_start_ = false;
    Indent indent;
    for (;; ++at_) {
      if (peek() == ' ') {
        ++indent.width, ++indent.alternative;
      } else if (peek() == '\t') {
        indent.width = (indent.width / kTab + 1) * kTab, ++indent.alternative;
      } else if (peek() == '\f') {
        indent = {};
      } else {
        break;
      }
    }
    if (peek() == '#') skip_comment();
    if (at_ >= source_.size()) return;
    if (peek() == '\n' || peek() == '\r') {  // blank lines do not count
      skip_newline();
      at_line_start_ = true;
      return;
    }
    apply_indentation(indent);
  }

  void apply_indentation(Indent indent) {
    const auto check_tabs = [&](bool consistent) {
      if (!consistent) fail(at_, "inconsistent use of tabs and spaces in indentation");
    };
    if (indent.width == indents_.back().width)
      return check_tabs(indent.alternative == indents_.back().alternative);
    if (indent.width > indents_.back().width) {
      check_tabs(indent.alternative > indents_.back().alternative);
      if (indents_.size() >= kMaxIndents) fail(at_, "too many levels of indentation");
      indents_.push_back(indent);
      return push(TokenKind::kIndent, at_);
    }
    while (indent.width < indents_.back().width) {
      indents_.pop_back();
      push(TokenKind::kDedent, at_);
    }
    if (indent.width != indents_.back().width)
      fail(at_, "unindent does not match any outer indentation level");
    check_tabs(indent.alternative == indents_.back().alternative);
  }

  void read_token() {
    const char c = peek();
    if (at_line_start_ && brackets_.empty()) return;
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      skip_comment();
    } else if (c == '\n' || c == '\r') {
      read_line_end();
    } else if (c == '\\') {
      read_continuation();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      read_number();
    } else if (c == '"' || c == '\'') {
      read_string(at_);
    } else if (is_name_start(c)) {
      read_name();
    } else {
      read_operator();
    }
  }

  void read_line_end() {
    if (brackets_.empty()) {
      if (!tokens_.empty() && tokens_.back().kind != TokenKind::kNewline) push(TokenKind::kNewline, at_);
      at_line_start_ = true;
    }
    skip_newline();
  }

  void read_continuation() {
    const std::size_t begin = at_++;
    if (at_ >= source_.size()) fail(begin, "unexpected EOF while parsing");
    if (peek() != '\n' && peek() != '\r')
      fail(begin, "unexpected character after line continuation character");
    skip_newline();
    if (at_ >= source_.size()) fail(begin, "unexpected EOF while parsing");
  }

  void read_name() {
    const std::size_t begin = at_;
    while (is_name_char(peek())) {
      if (is_high(peek())) {
        read_high_character();
      } else {
        ++at_;
      }
    }
    if ((peek() == '"' || peek() == '\'') && is_string_prefix(source_.substr(begin, at_ - begin))) {
      return read_string(begin);
    }
    push(TokenKind::kName, begin);
  }

  void read_high_character() {
    const CodePoint point = decode_utf8(source_, at_);
    if (point.size == 0) fail(at_, "(unicode error) invalid UTF-8");
    if (!is_identifier_character(point.value)) {
      fail(at_, fmt::format("invalid character '{}' (U+{:04X})", source_.substr(at_, point.size),
                            static_cast<std::uint32_t>(point.value)));
    }
    at_ += point.size;
  }

  void digits(bool (*is_valid)(char)) {
    while (is_valid(peek()) || (peek() == '_' && is_valid(peek(1)) && at_ > 0 && source_[at_ - 1] != '_'))
      ++at_;
  }

  // 0x, 0o and 0b numbers; `name` is CPython's word for them.
  void read_radix_number(const char* name, bool (*is_valid)(char)) {
    at_ += 2;
    if (peek() == '_') ++at_;
    const std::size_t begin = at_;
    digits(is_valid);
    if (at_ == begin) fail(at_, fmt::format("invalid {} literal", name));
    if (is_digit(peek())) fail(at_, fmt::format("invalid digit '{}' in {} literal", peek(), name));
    check_number_end(name);
  }

  void read_number() {
    const std::size_t begin = at_;
    const char radix = static_cast<char>(peek(1) | 0x20);
    if (peek() == '0' && (radix == 'x' || radix == 'o' || radix == 'b')) {
      if (radix == 'x')
        read_radix_number("hexadecimal",
                          [](char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); });
      if (radix == 'o') read_radix_number("octal", [](char c) { return c >= '0' && c <= '7'; });
      if (radix == 'b') read_radix_number("binary", [](char c) { return c == '0' || c == '1'; });
    } else {
      read_decimal_number();
    }
    push(TokenKind::kNumber, begin);
  }

  void read_decimal_number() {
    const std::size_t begin = at_;
    digits(is_digit);
    const std::string_view whole = source_.substr(begin, at_ - begin);
    bool integer = true;
    if (peek() == '.') {
      ++at_, integer = false;
      if (is_digit(peek())) digits(is_digit);
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() | 0x20) == 'e' && is_digit(peek(1 + sign))) {
      at_ += 1 + sign, integer = false;
      digits(is_digit);
    }
    if ((peek() | 0x20) == 'j') ++at_, integer = false;
    if (integer && whole.size() > 1 && whole[0] == '0' &&
        whole.find_first_not_of("0_") != std::string_view::npos) {
      fail(
          begin,
          "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers");
    }
    check_number_end("decimal");
  }

  // A keyword may follow a number without space ("1if x else 2"), any other name may not.
  void check_number_end(const char* name) const {
    if (!is_name_char(peek())) return;
    std::size_t end = at_;
    while (end < source_.size() && is_name_char(source_[end])) ++end;
    constexpr std::array<std::string_view, 8> kAllowed = {"and", "else", "for", "if",
                                                          "in",  "is",   "or",  "not"};
    const std::string_view word = source_.substr(at_, end - at_);
    const bool allowed =
        std::any_of(kAllowed.begin(), kAllowed.end(), [&](auto k) { return word.starts_with(k); });
    if (!allowed) fail(at_, fmt::format("invalid {} literal", name));
  }

  // `begin` is the first character of the prefix, the reading position the opening quote.
  void read_string(std::size_t begin) {
    const char quote = peek();
    const bool triple = peek(1) == quote && peek(2) == quote;
    const int first_line = line_;
    at_ += triple ? 3U : 1U;
    for (;; ++at_) {
      if (at_ >= source_.size() || (!triple && (peek() == '\n' || peek() == '\r'))) {
        const int last_line = line_;
        line_ = first_line;
        fail(begin, fmt::format("unterminated {}string literal (detected at line {})",
                                triple ? "triple-quoted " : "", last_line));
      }
      if (peek() == '\\' && at_ + 1 < source_.size())
        ++at_;
      else if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote)))
        break;
      if (peek() == '\n' || (peek() == '\r' && peek(1) != '\n'))
        ++line_;
      else if (peek() == '\r')
        ++at_, ++line_;
    }
    at_ += triple ? 3U : 1U;
    push(TokenKind::kString, begin, first_line);
  }

  void read_operator() {
    const std::string_view rest = source_.substr(at_);
    if (rest[0] == '\0') fail(at_, "source code cannot contain null bytes");
    const auto found =
        std::find_if(kOperators.begin(), kOperators.end(), [&](auto op) { return rest.starts_with(op); });
    if (found == kOperators.end()) {
      if (static_cast<unsigned char>(rest[0]) < 0x20 || rest[0] == 0x7f) {
        fail(at_, fmt::format("invalid non-printable character U+{:04X}", static_cast<unsigned>(rest[0])));
      }
      fail(at_, "invalid syntax");
    }
    if (found->size() == 1) track_bracket(rest[0]);
    const std::size_t begin = at_;
    at_ += found->size();
    push(TokenKind::kOperator, begin);
  }

  void track_bracket(char c) {
    if (c == '(' || c == '[' || c == '{') {
      if (brackets_.size() >= kMaxBrackets) fail(at_, "too many nested parentheses");
      brackets_.push_back({c, line_, at_});
      return;
    }
    if (c != ')' && c != ']' && c != '}') return;
    if (brackets_.empty()) fail(at_, fmt::format("unmatched '{}'", c));
    const Bracket open = brackets_.back();
    const char expected = open.open == '(' ? ')' : open.open == '[' ? ']' : '}';
    if (c != expected) {
      const std::string where = open.line != line_ ? fmt::format(" on line {}", open.line) : "";
      fail(at_, fmt::format("closing parenthesis '{}' does not match opening parenthesis '{}'{}", c,
                            open.open, where));
    }
    brackets_.pop_back();
  }

  void finish() {
    if (!brackets_.empty()) {
      const Bracket& open = brackets_.back();
      throw error_at(source_, open.offset, open.line, fmt::format("'{}' was never closed", open.open));
    }
    if (!tokens_.empty() && tokens_.back().kind != TokenKind::kNewline) push(TokenKind::kNewline, at_);
    for (; indents_.size() > 1; indents_.pop_back()) push(TokenKind::kDedent, at_);
    push(TokenKind::kEnd, at_);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool at_line_start_ = true;
  // The column of byte mark_, which follows the tokens.
  std::size_t mark_ = 0;
  int column_ = 1;
  std::vector<Indent> indents_ = {Indent{}};
  std::vector<Bracket> brackets_;
  std::vector<Token> tokens_;
};

}  // namespace

SyntaxError error_at(std::string_view source, std::size_t offset, int line, const std::string& message) {
  offset = std::min(offset, source.size());
  std::size_t start = offset;
  while (start > 0 && source[start - 1] != '\n' && source[start - 1] != '\r') --start;
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  const auto column = std::count_if(source.begin() + static_cast<std::ptrdiff_t>(start),
                                    source.begin() + static_cast<std::ptrdiff_t>(offset), is_start);
  return {message, line, static_cast<int>(column) + 1};
}

bool is_keyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

}  // namespace fib::python
