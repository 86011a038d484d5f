#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "model/json_value.h"

namespace fib::model::json {
namespace {

// Fixed notation of the digits d1d2d3... times 10^(exponent), with the point after d1.
std::string fixed(const std::string& digits, int exponent) {
  const int size = static_cast<int>(digits.size());
  if (exponent < 0) return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (exponent + 1 >= size)
    return digits + std::string(static_cast<std::size_t>(exponent + 1 - size), '0') + ".0";
  const auto point = static_cast<std::size_t>(exponent + 1);
  return digits.substr(0, point) + "." + digits.substr(point);
}

std::string scientific(const std::string& digits, int exponent) {
  const std::string fraction = digits.size() > 1 ? "." + digits.substr(1) : "";
  return fmt::format("{}{}e{}{}", digits[0], fraction, exponent < 0 ? "-" : "+", std::abs(exponent));
}

class Writer {
 public:
  Writer(Form form, NonFinite non_finite) : form_(form), non_finite_(non_finite) {}

  void write(const Value& value, int level) {
    switch (value.kind) {
      case Kind::null:
        text_ += "null";
        break;
      case Kind::boolean:
        text_ += value.boolean ? "true" : "false";
        break;
      case Kind::number:
        write_number(value.text);
        break;
      case Kind::string:
        write_string(value.text);
        break;
      case Kind::array:
        write_array(value, level);
        break;
      case Kind::object:
        write_object(value, level);
        break;
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void write_number(const std::string& token) {
    const char last = token.back();
    if (last != 'N' && last != 'y') {
      text_ += token;
    } else if (non_finite_ == NonFinite::null) {
      text_ += "null";
    } else {
      text_ += '"' + token + '"';
    }
  }

  void write_string(const std::string& value) {
    text_ += '"';
    std::size_t done = 0;  // everything before it is written
    for (std::size_t i = 0; i < value.size(); ++i) {
      const char c = value[i];
      if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
      text_.append(value, done, i - done);
      write_escape(c);
      done = i + 1;
    }
    text_.append(value, done);
    text_ += '"';
  }

  void write_escape(char c) {
    switch (c) {
      case '"':
        text_ += "\\\"";
        break;
      case '\\':
        text_ += "\\\\";
        break;
      case '\b':
        text_ += "\\b";
        break;
      case '\f':
        text_ += "\\f";
        break;
      case '\n':
        text_ += "\\n";
        break;
      case '\r':
        text_ += "\\r";
        break;
      case '\t':
        text_ += "\\t";
        break;
      default:
        text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    }
  }

  void write_array(const Value& value, int level) {
    if (value.items.empty()) {
      text_ += "[]";
      return;
    }
    text_ += '[';
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (i > 0) text_ += ',';
      break_line(level + 1);
      write(value.items[i], level + 1);
    }
    break_line(level);
    text_ += ']';
  }

  void write_object(const Value& value, int level) {
    if (value.members.empty()) {
      text_ += "{}";
      return;
    }
    text_ += '{';
    for (std::size_t i = 0; i < value.members.size(); ++i) {
      if (i > 0) text_ += ',';
      break_line(level + 1);
      write_string(value.members[i].first);
      text_ += form_ == Form::indented ? ": " : ":";
      write(value.members[i].second, level + 1);
    }
    break_line(level);
    text_ += '}';
  }

  void break_line(int level) {
    if (form_ == Form::compact) return;
    text_ += '\n';
    text_.append(static_cast<std::size_t>(2 * level), ' ');
  }

  Form form_;
  NonFinite non_finite_;
  std::string text_;
};

}  // namespace

std::string format_double(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  std::array<char, 40> buffer{};  // the longest is "-1.7976931348623157e+308"
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  std::string digits(1, text[0]);
  if (e > 1) digits += text.substr(2, e - 2);
  const int exponent = std::atoi(text.data() + e + 1);
  return (value < 0 ? "-" : "") +
         (exponent >= -5 && exponent < 16 ? fixed(digits, exponent) : scientific(digits, exponent));
}

std::string dump(const Value& value, Form form, NonFinite non_finite) {
  Writer writer(form, non_finite);
  writer.write(value, 0);
  return writer.take();
}

}  // namespace fib::model::json
