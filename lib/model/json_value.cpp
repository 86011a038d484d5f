#include "model/json_value.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <system_error>

namespace fib::model::json {

const Value* Value::find(std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Value::add(std::string name, Value value) { members.push_back({std::move(name), std::move(value)}); }

Value make_null() { return {}; }

Value make_boolean(bool value) {
  Value result;
  result.kind = Kind::boolean;
  result.boolean = value;
  return result;
}

Value make_integer(std::int64_t value) {
  Value result;
  result.kind = Kind::number;
  result.text = std::to_string(value);
  return result;
}

Value make_number(double value) {
  Value result;
  result.kind = Kind::number;
  result.text = format_double(value);
  return result;
}

Value make_string(std::string text) {
  Value result;
  result.kind = Kind::string;
  result.text = std::move(text);
  return result;
}

Value make_array() {
  Value result;
  result.kind = Kind::array;
  return result;
}

Value make_object() {
  Value result;
  result.kind = Kind::object;
  return result;
}

namespace {

template <typename T>
bool whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

nlohmann::ordered_json number_to_tree(const std::string& token) {
  std::int64_t integer = 0;
  if (whole(token, integer)) return integer;
  std::uint64_t large = 0;
  if (whole(token, large)) return large;
  return std::strtod(token.c_str(), nullptr);  // understands "NaN" and "Infinity" too
}

}  // namespace

nlohmann::ordered_json to_tree(const Value& value) {
  switch (value.kind) {
    case Kind::null:
      return nullptr;
    case Kind::boolean:
      return value.boolean;
    case Kind::number:
      return number_to_tree(value.text);
    case Kind::string:
      return value.text;
    case Kind::array: {
      auto array = nlohmann::ordered_json::array();
      for (const Value& item : value.items) array.push_back(to_tree(item));
      return array;
    }
    case Kind::object:
      break;
  }
  nlohmann::ordered_json::object_t object;  // its names differ already: looking each one up takes long
  for (const auto& [name, member] : value.members) object.emplace_back(name, to_tree(member));
  return object;
}

Value from_tree(const nlohmann::ordered_json& tree) {
  if (tree.is_boolean()) return make_boolean(tree.get<bool>());
  if (tree.is_string()) return make_string(tree.get<std::string>());
  if (tree.is_number_float()) return make_number(tree.get<double>());
  if (tree.is_number()) {
    Value number = make_integer(0);
    number.text = tree.dump();
    return number;
  }
  if (tree.is_array()) {
    Value array = make_array();
    for (const auto& item : tree) array.items.push_back(from_tree(item));
    return array;
  }
  if (!tree.is_object()) return make_null();
  Value object = make_object();
  for (const auto& [name, member] : tree.items()) object.add(name, from_tree(member));
  return object;
}

}  // namespace fib::model::json
