#include "model/coerce.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "util/text.h"

namespace fib::model {
namespace {

template <typename T>
Coerced<T> no(std::string error) {
  return {std::nullopt, std::move(error)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

constexpr std::string_view kSpace = " \t\n\v\f\r";  // of Python

// Single underscores between other characters are left out, as in Python's literals.
std::string without_underscores(std::string_view text) {
  if (text.starts_with('_') || text.ends_with('_') || text.find("__") != std::string_view::npos) {
    return std::string(text);
  }
  std::string result(text);
  result.erase(std::remove(result.begin(), result.end(), '_'), result.end());
  return result;
}

// `digits` holds decimal digits only.
Integer make_integer(bool negative, std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  const std::string text = (negative && digits != "0" ? "-" : "") + std::string(digits);
  Integer result;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), result.value);
  if (parsed.ec == std::errc()) return result;
  result.value =
      negative ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
  result.digits = text;
  return result;
}

std::optional<Integer> integer_from_text(std::string_view original) {
  std::string_view text = util::trimmed(original, kSpace);
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos && text.find_first_not_of('0', point + 1) == std::string_view::npos) {
    text = text.substr(0, point);
  }
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string digits = without_underscores(text);
  if (!all_digits(digits)) return std::nullopt;
  return make_integer(negative, digits);
}

Coerced<Integer> integer_from_number(const std::string& token) {
  const bool negative = token.starts_with('-');
  const std::string_view magnitude = std::string_view(token).substr(negative ? 1 : 0);
  if (all_digits(magnitude)) return {make_integer(negative, magnitude), ""};
  const double value = std::strtod(token.c_str(), nullptr);
  if (!std::isfinite(value)) return no<Integer>("Input should be a finite number");
  if (value != std::trunc(value)) {
    return no<Integer>("Input should be a valid integer, got a number with a fractional part");
  }
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value <= -kLimit || value >= kLimit) {
    return no<Integer>("Unable to parse input string as an integer, exceeded maximum size");
  }
  return {Integer(static_cast<std::int64_t>(value)), ""};
}

// The grammar of decimal floats without hexadecimal forms, which strtod would take as well.
bool is_float_text(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::string word = util::lowered(text);
  if (word == "inf" || word == "infinity" || word == "nan") return true;
  std::size_t at = 0;
  std::size_t digits = 0;
  for (; at < text.size() && (is_digit(text[at]) || text[at] == '.'); ++at)
    digits += is_digit(text[at]) ? 1 : 0;
  if (digits == 0 || std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '.') > 1)
    return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  return all_digits(text.substr(at));
}

std::optional<double> double_from_text(std::string_view original) {
  std::string text(util::trimmed(original, kSpace));
  if (!is_float_text(text)) text = without_underscores(original);
  if (!is_float_text(text)) return std::nullopt;
  return std::strtod(text.c_str(), nullptr);
}

std::optional<bool> boolean_from_text(std::string_view text) {
  const std::string word = util::lowered(text);
  for (const char* yes : {"1", "on", "t", "true", "y", "yes"}) {
    if (word == yes) return true;
  }
  for (const char* off : {"0", "off", "f", "false", "n", "no"}) {
    if (word == off) return false;
  }
  return std::nullopt;
}

}  // namespace

Coerced<Integer> coerce_integer(const json::Value& value) {
  if (value.kind == json::Kind::boolean) return {Integer(value.boolean ? 1 : 0), ""};
  if (value.kind == json::Kind::number) return integer_from_number(value.text);
  if (value.kind != json::Kind::string) return no<Integer>("Input should be a valid integer");
  if (auto parsed = integer_from_text(value.text)) return {parsed, ""};
  return no<Integer>("Input should be a valid integer, unable to parse string as an integer");
}

Coerced<double> coerce_double(const json::Value& value) {
  if (value.kind == json::Kind::boolean) return {value.boolean ? 1.0 : 0.0, ""};
  if (value.kind == json::Kind::number) return {std::strtod(value.text.c_str(), nullptr), ""};
  if (value.kind != json::Kind::string) return no<double>("Input should be a valid number");
  if (auto parsed = double_from_text(value.text)) return {parsed, ""};
  return no<double>("Input should be a valid number, unable to parse string as a number");
}

Coerced<bool> coerce_boolean(const json::Value& value) {
  if (value.kind == json::Kind::boolean) return {value.boolean, ""};
  if (value.kind == json::Kind::number) {
    const double number = std::strtod(value.text.c_str(), nullptr);
    if (number == 0 || number == 1) return {number == 1, ""};
  }
  if (value.kind == json::Kind::string) {
    if (auto parsed = boolean_from_text(value.text)) return {parsed, ""};
  }
  const bool text_or_number = value.kind == json::Kind::string || value.kind == json::Kind::number;
  return no<bool>(text_or_number ? "Input should be a valid boolean, unable to interpret input"
                                 : "Input should be a valid boolean");
}

Coerced<AnyScalar> coerce_scalar(const json::Value& value) {
  if (value.kind == json::Kind::boolean) return {AnyScalar(value.boolean), ""};
  if (value.kind == json::Kind::number) {
    if (value.text.find_first_of(".eENI") != std::string::npos)
      return {AnyScalar(*coerce_double(value).value), ""};
    return {AnyScalar(*coerce_integer(value).value), ""};
  }
  if (auto integer = coerce_integer(value).value) return {AnyScalar(*integer), ""};
  if (auto number = coerce_double(value).value) return {AnyScalar(*number), ""};
  if (auto boolean = coerce_boolean(value).value) return {AnyScalar(*boolean), ""};
  return no<AnyScalar>("Input should be an integer, a number or a boolean");
}

}  // namespace fib::model
