#include <simdjson.h>

#include <algorithm>
#include <unordered_map>

#include "model/errors.h"
#include "model/json_place.h"
#include "model/json_value.h"

namespace fib::model::json {
namespace {

namespace sj = simdjson::ondemand;

[[noreturn]] void fail(const std::string& message) { throw ParseError({{"", "Invalid JSON: " + message}}); }

// Until it is known where.
struct SyntaxError {
  std::string message;
};

void check(simdjson::error_code error) {
  if (error != simdjson::SUCCESS) throw SyntaxError{simdjson::error_message(error)};
}

std::size_t skip_digits(std::string_view token, std::size_t at) {
  while (at < token.size() && token[at] >= '0' && token[at] <= '9') ++at;
  return at;
}

std::string_view trimmed(std::string_view token) {
  const std::size_t end = token.find_last_not_of(" \t\r\n");
  return token.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

Value read_scalar(std::string_view raw) {
  const std::string_view token = trimmed(raw);
  if (token == "null") return make_null();
  if (token == "true" || token == "false") return make_boolean(token == "true");
  const bool extension = token == "NaN" || token == "Infinity" || token == "-Infinity";
  if (!extension && !is_number_token(token)) {
    throw SyntaxError{"unexpected \"" + std::string(token.substr(0, 40)) + "\""};
  }
  Value number = make_integer(0);
  number.text = token;
  return number;
}

// Escaped surrogates without their other half come out of the parser as bytes that are not UTF-8.
std::string checked_text(std::string_view text) {
  for (std::size_t at = text.find('\xed'); at != std::string_view::npos; at = text.find('\xed', at + 1)) {
    if (static_cast<unsigned char>(text[at + 1]) >= 0xa0) fail("lone surrogate in a string");
  }
  return std::string(text);
}

bool has_repeated_name(const std::vector<Member>& members) {
  for (std::size_t i = 1; i < members.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (members[i].first == members[k].first) return true;
    }
  }
  return false;
}

// A repeated name takes the last value and keeps the first place.
void remove_duplicates(std::vector<Member>& members) {
  if (members.size() <= 16 && !has_repeated_name(members)) return;
  std::unordered_map<std::string_view, std::size_t> first;
  first.reserve(members.size());
  bool repeated = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto [place, is_new] = first.emplace(members[i].first, i);
    if (is_new) continue;
    members[place->second].second = std::move(members[i].second);
    repeated = true;
  }
  if (!repeated) return;
  std::vector<Member> kept;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (first.at(members[i].first) == i) kept.push_back(members[i]);
  }
  members = std::move(kept);
}

// How deep a document has been read, and how many values it may have in all.
struct Extent {
  int depth;
  std::size_t most_values;
  std::size_t values = 0;
};

Value read_value(sj::value value, Extent& extent);

Value read_array(sj::value value, Extent& extent) {
  Value result = make_array();
  sj::array array;
  check(value.get_array().get(array));
  for (auto item : array) {
    sj::value element;
    check(item.get(element));
    result.items.push_back(read_value(element, extent));
  }
  return result;
}

Value read_object(sj::value value, Extent& extent) {
  Value result = make_object();
  sj::object object;
  check(value.get_object().get(object));
  for (auto entry : object) {
    sj::field field;
    check(std::move(entry).get(field));
    std::string_view key;
    check(field.unescaped_key().get(key));
    std::string name = checked_text(key);
    result.members.push_back({std::move(name), read_value(field.value(), extent)});
  }
  remove_duplicates(result.members);
  return result;
}

Value read_value(sj::value value, Extent& extent) {
  if (extent.depth > kMostLevels) fail("more than " + std::to_string(kMostLevels) + " levels of nesting");
  if (++extent.values > extent.most_values)
    fail("more than " + std::to_string(extent.most_values) + " values");
  const std::string_view token = value.raw_json_token();
  const char first = token.empty() ? '\0' : token[0];
  if (first == '{' || first == '[') {
    ++extent.depth;
    Value nested = first == '{' ? read_object(value, extent) : read_array(value, extent);
    --extent.depth;
    return nested;
  }
  if (first != '"') return read_scalar(token);
  std::string_view text;
  check(value.get_string().get(text));
  return make_string(checked_text(text));
}

bool has_more(sj::document& document) {
  return document.current_location().error() != simdjson::OUT_OF_BOUNDS;
}

Value read_root_scalar(sj::document& document, std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) fail("the text is empty");
  if (text[text.find_first_not_of(" \t\r\n")] != '"') {
    return read_scalar(text.substr(text.find_first_not_of(" \t\r\n")));
  }
  std::string_view content;
  check(document.get_string().get(content));
  return make_string(checked_text(content));
}

Value read_document(std::string_view text, const Limits& limits) {
  const simdjson::padded_string padded(text);
  sj::parser parser;
  sj::document document;
  check(parser.iterate(padded).get(document));
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool nested = start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
  if (!nested) {
    Value scalar = read_root_scalar(document, text);
    if (scalar.kind == Kind::string && has_more(document)) fail("trailing characters");
    return scalar;
  }
  sj::value root;
  check(document.get_value().get(root));
  Extent extent{1 + kMostLevels - limits.levels, limits.values};
  Value result = read_value(root, extent);
  if (has_more(document)) fail("trailing characters");
  return result;
}

}  // namespace

bool is_number_token(std::string_view token) {
  std::size_t at = token.starts_with('-') ? 1 : 0;
  std::size_t end = skip_digits(token, at);
  if (end == at || (token[at] == '0' && end > at + 1)) return false;
  if (end < token.size() && token[end] == '.') {
    at = end + 1;
    end = skip_digits(token, at);
    if (end == at) return false;
  }
  if (end < token.size() && (token[end] == 'e' || token[end] == 'E')) {
    at = end + 1;
    if (at < token.size() && (token[at] == '+' || token[at] == '-')) ++at;
    end = skip_digits(token, at);
    if (end == at) return false;
  }
  return end == token.size();
}

Value parse(std::string_view text, const Limits& limits) {
  if (text.size() > limits.bytes) fail("more than " + std::to_string(limits.bytes) + " bytes");
  if (text.starts_with("\xef\xbb\xbf")) fail("the text starts with a byte order mark; remove these 3 bytes");
  try {
    return read_document(text, limits);
  } catch (const SyntaxError& error) {
    const std::string place = syntax_error(text);
    fail(place.empty() ? error.message : place);
  }
}

bool is_object_text(std::string_view text) {
  try {
    return parse(text).kind == Kind::object;
  } catch (const ParseError&) {
    return false;
  }
}

}  // namespace fib::model::json
