#include "model/reader.h"

#include <utility>

#include "model/coerce.h"
#include "util/utf8.h"

namespace fib::model {

void ReadContext::finish() const {
  if (!errors.empty()) throw ParseError(errors);
}

std::string join_path(const std::string& path, std::string_view name) {
  constexpr std::size_t kMostBytes = 200;  // of a name: a path is made for each of its elements
  std::string joined = path.empty() ? "" : path + ".";
  joined += util::beginning_of(name, kMostBytes);
  return name.size() > kMostBytes ? joined + "…" : joined;
}

std::string read_text(const json::Value& value, const std::string& path, ReadContext& context,
                      MinLength minimum) {
  if (value.kind != json::Kind::string) {
    context.fail(path, "Input should be a valid string");
    return {};
  }
  if (minimum == MinLength::one && value.text.empty())
    context.fail(path, "String should have at least 1 character");
  return value.text;
}

std::vector<std::string> read_texts(const json::Value& value, const std::string& path, ReadContext& context,
                                    MinLength minimum) {
  std::vector<std::string> result;
  if (value.kind != json::Kind::array) {
    context.fail(path, "Input should be a valid array");
    return result;
  }
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    result.push_back(read_text(value.items[i], join_path(path, std::to_string(i)), context, minimum));
  }
  return result;
}

Integer read_count(const json::Value& value, const std::string& path, ReadContext& context) {
  const Coerced<Integer> integer = coerce_integer(value);
  if (!integer.value) {
    context.fail(path, integer.error);
    return {};
  }
  if (integer.value->value < 0) context.fail(path, "Input should be greater than or equal to 0");
  return *integer.value;
}

ObjectReader::ObjectReader(const json::Value& value, std::string path, ReadContext& context)
    : value_(value), path_(std::move(path)), context_(context) {
  if (!is_object()) context_.fail(path_, "Input should be an object");
}

const json::Value* ObjectReader::optional(std::string_view name) {
  known_.emplace(name);
  return value_.find(name);
}

const json::Value* ObjectReader::required(std::string_view name) {
  const json::Value* found = optional(name);
  if (found == nullptr && is_object()) context_.fail(path_of(name), "Field required");
  return found;
}

std::string ObjectReader::text(std::string_view name, MinLength minimum) {
  const json::Value* found = required(name);
  return found != nullptr ? read_text(*found, path_of(name), context_, minimum) : std::string();
}

std::optional<std::vector<std::string>> ObjectReader::texts(std::string_view name) {
  const json::Value* found = optional(name);
  if (found == nullptr) return std::nullopt;
  return read_texts(*found, path_of(name), context_, MinLength::one);
}

NullableText ObjectReader::nullable_text(std::string_view name) {
  const json::Value* found = optional(name);
  if (found == nullptr) return std::nullopt;
  if (found->kind == json::Kind::null) return std::optional<std::string>();
  return read_text(*found, path_of(name), context_, MinLength::zero);
}

Unknown ObjectReader::unknown() const {
  Unknown result;
  if (context_.mode == Mode::upstream) return result;
  for (const auto& member : value_.members) {
    if (!known_.contains(member.first)) result.push_back(member);
  }
  return result;
}

std::string expected_one_of(const std::vector<std::string_view>& words) {
  std::string text = "Input should be ";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += "'" + std::string(words[i]) + "'";
  }
  return text;
}

void add_unknown(json::Value& object, const Unknown& unknown) {
  for (const auto& [name, value] : unknown) object.add(name, value);
}

void add_nullable(json::Value& object, std::string_view name, const NullableText& text) {
  if (!text) return;
  object.add(std::string(name), text->has_value() ? json::make_string(**text) : json::make_null());
}

json::Value to_value(const std::vector<std::string>& texts) {
  json::Value array = json::make_array();
  for (const std::string& text : texts) array.items.push_back(json::make_string(text));
  return array;
}

json::Value to_value(const Integer& integer) {
  json::Value number = json::make_integer(integer.value);
  if (!integer.fits()) number.text = integer.digits;
  return number;
}

}  // namespace fib::model
