#include "dataset/strict_json.h"

#include <charconv>

#include "model/json_value.h"

namespace fib::dataset::strict_json {
namespace {

constexpr int kMaxDepth = 100;  // the model takes twice as much

// Escaped halves of surrogate pairs come out of the parser as bytes that are not UTF-8; the model refuses
// them.
std::string_view checked(std::string_view text) {
  for (std::size_t at = text.find('\xed'); at != std::string_view::npos; at = text.find('\xed', at + 1))
    expect(static_cast<unsigned char>(text[at + 1]) < 0xa0);
  return text;
}

std::string_view without_trailing_spaces(std::string_view token) {
  return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

std::string_view number_token(sj::value& value) {
  const std::string_view token = without_trailing_spaces(value.raw_json_token());
  expect(model::json::is_number_token(token));
  return token;
}

}  // namespace

std::string_view text_of(sj::value value) { return checked(value.get_string()); }

std::string_view key_of(sj::field& field) { return checked(field.unescaped_key()); }

double non_negative(sj::value value) {
  const std::string_view token = number_token(value);
  double number = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  expect(error == std::errc() && end == token.data() + token.size() && number >= 0);
  return number;
}

void check_value(sj::value value, int depth) {
  expect(depth < kMaxDepth);
  switch (value.type()) {
    case sj::json_type::object:
      for (auto entry : value.get_object()) {
        sj::field field = std::move(entry);
        (void)key_of(field);
        check_value(field.value(), depth + 1);
      }
      break;
    case sj::json_type::array:
      for (sj::value item : value.get_array()) check_value(item, depth + 1);
      break;
    case sj::json_type::string:
      (void)text_of(value);
      break;
    case sj::json_type::number:
      (void)number_token(value);
      break;
    default: {
      const std::string_view token = without_trailing_spaces(value.raw_json_token());
      expect(token == "true" || token == "false" || token == "null");
    }
  }
}

std::string_view object_text(sj::value value) {
  sj::object object = value.get_object();
  return object.raw_json();
}

bool is_null(sj::value value) { return value.type() == sj::json_type::null && value.is_null(); }

std::string_view only_text(sj::value value) {
  expect(value.type() == sj::json_type::string);
  return text_of(value);
}

double only_number(sj::value value) {
  expect(value.type() == sj::json_type::number);
  return non_negative(value);
}

std::uint64_t only_count(sj::value value) {
  const std::string_view token = number_token(value);
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), count);
  expect(error == std::errc() && end == token.data() + token.size());
  return count;
}

std::vector<double> only_numbers(sj::value value) {
  expect(value.type() == sj::json_type::array);
  std::vector<double> numbers;
  for (sj::value number : value.get_array()) numbers.push_back(only_number(number));
  return numbers;
}

std::string_view array_text(sj::value value) {
  expect(value.type() == sj::json_type::array);
  sj::array array = value.get_array();
  return array.raw_json();
}

std::string joined_texts(sj::value value) {
  expect(value.type() == sj::json_type::array);
  std::string joined;
  for (sj::value text : value.get_array()) {
    joined += joined.empty() ? "" : ", ";
    joined += only_text(text);
  }
  return joined;
}

}  // namespace fib::dataset::strict_json
