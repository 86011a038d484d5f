#include "python/literals.h"

#include <charconv>
#include <cstdlib>
#include <optional>

#include "python/unicode.h"

namespace fib::python {
namespace {

struct StringParts {
  bool raw = false;
  bool bytes = false;
  bool format = false;
  std::string_view body;
};

StringParts split(std::string_view token) {
  StringParts parts;
  std::size_t quote = 0;
  for (; token[quote] != '"' && token[quote] != '\''; ++quote) {
    const char c = static_cast<char>(token[quote] | 0x20);
    parts.raw |= c == 'r';
    parts.bytes |= c == 'b';
    parts.format |= c == 'f';
  }
  const bool triple =
      token.size() >= quote + 6 && token[quote + 1] == token[quote] && token[quote + 2] == token[quote];
  const std::size_t marks = triple ? 3 : 1;
  parts.body = token.substr(quote + marks, token.size() - quote - 2 * marks);
  return parts;
}

std::string normalize_newlines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out.push_back(text[i]);
    } else if (i + 1 >= text.size() || text[i + 1] != '\n') {
      out.push_back('\n');
    }
  }
  return out;
}

class Unescaper {
 public:
  Unescaper(std::string_view text, bool bytes) : text_(text), bytes_(bytes) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        escape();
      } else {
        out_.push_back(text_[at_++]);
      }
    }
    return std::move(out_);
  }

 private:
  void put(char32_t value) {
    if (bytes_) {
      out_.push_back(static_cast<char>(static_cast<unsigned char>(value)));
    } else {
      append_utf8(out_, value);
    }
  }

  void escape() {
    const char c = text_[at_ + 1];
    at_ += 2;
    constexpr std::string_view kSimple = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v";
    for (std::size_t i = 0; i < kSimple.size(); i += 2) {
      if (kSimple[i] == c) return out_.push_back(kSimple[i + 1]);
    }
    if (c == '\n') return;
    if (c >= '0' && c <= '7') return octal(c);
    if (c == 'x') return hexadecimal(2, "truncated \\xXX escape");
    if (c == 'u' && !bytes_) return hexadecimal(4, "truncated \\uXXXX escape");
    if (c == 'U' && !bytes_) return hexadecimal(8, "truncated \\UXXXXXXXX escape");
    out_.push_back('\\');
    out_.push_back(c);
  }

  void octal(char first) {
    auto value = static_cast<char32_t>(first - '0');
    for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '7'; ++i) {
      value = value * 8 + static_cast<char32_t>(text_[at_++] - '0');
    }
    put(value);
  }

  void hexadecimal(std::size_t digits, const char* message) {
    const std::string_view text = text_.substr(at_, digits);
    std::uint32_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (text.size() != digits || result.ptr != text.data() + digits)
      throw LiteralError{std::string("(unicode error) ") + message};
    if (value > 0x10FFFF) throw LiteralError{"(unicode error) illegal Unicode character"};
    at_ += digits;
    put(value);
  }

  std::string_view text_;
  bool bytes_;
  std::size_t at_ = 0;
  std::string out_;
};

std::string without_underscores(std::string_view token) {
  std::string digits;
  for (const char c : token) {
    if (c != '_') digits.push_back(c);
  }
  return digits;
}

std::optional<std::int64_t> parse_integer(std::string_view digits) {
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    const char radix = static_cast<char>(digits[1] | 0x20);
    base = radix == 'x' ? 16 : radix == 'o' ? 8 : radix == 'b' ? 2 : 10;
  }
  if (base != 10) digits.remove_prefix(2);
  std::int64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool is_real(std::string_view digits) {
  const bool radix = digits.size() > 1 && digits[0] == '0' &&
                     std::string_view("xXoObB").find(digits[1]) != std::string_view::npos;
  return !radix && digits.find_first_of(".eEjJ") != std::string_view::npos;
}

}  // namespace

Constant decode_number(std::string_view token) {
  std::string digits = without_underscores(token);
  Constant constant;
  if (is_real(digits)) {
    constant.kind = (digits.back() | 0x20) == 'j' ? ConstantKind::kImaginary : ConstantKind::kFloat;
    if (constant.kind == ConstantKind::kImaginary) digits.pop_back();
    constant.real = std::strtod(digits.c_str(), nullptr);
    return constant;
  }
  const std::optional<std::int64_t> value = parse_integer(digits);
  constant.kind = value ? ConstantKind::kInteger : ConstantKind::kBigInteger;
  constant.integer = value.value_or(0);
  if (!value) constant.text = digits;
  return constant;
}

Constant decode_string(std::string_view token) {
  const StringParts parts = split(token);
  Constant constant;
  constant.kind = parts.format  ? ConstantKind::kFString
                  : parts.bytes ? ConstantKind::kBytes
                                : ConstantKind::kString;
  constant.text = normalize_newlines(parts.body);
  if (parts.bytes) {
    for (const char c : parts.body) {
      if (static_cast<unsigned char>(c) >= 0x80)
        throw LiteralError{"bytes can only contain ASCII literal characters"};
    }
  }
  if (!parts.raw && !parts.format) constant.text = Unescaper(constant.text, parts.bytes).run();
  return constant;
}

}  // namespace fib::python
