#include "pack/toml_read.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fib::pack {
namespace {

namespace json = model::json;

// The library sorts a table's members by name; their places bring the document's order back.
std::vector<std::pair<const toml::key*, const toml::node*>> in_order(const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> members;
  for (auto member = table.begin(); member != table.end(); ++member) {
    members.emplace_back(&member->first, &member->second);
  }
  std::sort(members.begin(), members.end(), [](const auto& left, const auto& right) {
    return left.first->source().begin < right.first->source().begin;
  });
  return members;
}

class Converter {
 public:
  explicit Converter(TomlDocument& document) : document_(document) {}

  json::Value table(const toml::table& table, const std::string& path) {
    json::Value object = json::make_object();
    for (const auto& [key, node] : in_order(table)) {
      object.add(std::string(key->str()), member(*key, *node, path));
    }
    return object;
  }

  // A member of the table `path`, which is empty for the document's own.
  json::Value member(const toml::key& key, const toml::node& node, const std::string& path) {
    const std::string own = path.empty() ? std::string(key.str()) : path + "." + std::string(key.str());
    constexpr std::size_t kLongest = 4096;  // each of the tables within has its path, too
    if (own.size() > kLongest)
      throw Error("{}:{}: a key of more than {} characters is not read", document_.file,
                  key.source().begin.line, kLongest);
    constexpr std::size_t kMost = 10'000;
    if (document_.lines.size() == kMost)
      throw Error("{}:{}: more than {} keys are not read", document_.file, key.source().begin.line, kMost);
    document_.lines.emplace(own, key.source().begin.line);
    return value(node, own);
  }

 private:
  json::Value value(const toml::node& node, const std::string& path) {
    if (const auto* text = node.as_string()) return json::make_string(text->get());
    if (const auto* integer = node.as_integer()) return json::make_integer(integer->get());
    if (const auto* boolean = node.as_boolean()) return json::make_boolean(boolean->get());
    if (const auto* members = node.as_table()) return table(*members, path);
    if (const auto* items = node.as_array()) return array(*items);
    const auto* number = node.as_floating_point();
    if (number == nullptr) throw refused(node, "a date or time");
    if (!std::isfinite(number->get())) throw refused(node, "a number that is not finite");
    return json::make_number(number->get());
  }

  json::Value array(const toml::array& items) {
    json::Value result = json::make_array();
    TomlDocument inside;  // lines of keys in arrays are not kept
    Converter converter(inside);
    inside.file = document_.file;
    for (const toml::node& item : items) result.items.push_back(converter.value(item, ""));
    return result;
  }

  [[nodiscard]] Error refused(const toml::node& node, std::string_view what) const {
    return Error("{}:{}: {} has no place in a solution; write it as a string", document_.file,
                 node.source().begin.line, what);
  }

  TomlDocument& document_;
};

// toml++ limits how deep values are nested, and takes a frame of the stack for each part of a key "a.b.c"
// besides.
void expect_short_keys(std::string_view text, const std::string& file) {
  constexpr std::ptrdiff_t kMostDots = 10'000;
  if (std::count(text.begin(), text.end(), '.') > kMostDots)
    throw Error("{}: it has more than {} dots: so many parts of keys are not read", file, kMostDots);
}

toml::table parse(std::string_view text, const std::string& file) {
  expect_short_keys(text, file);
  try {
    return toml::parse(text, std::string_view(file));
  } catch (const toml::parse_error& error) {
    throw Error("{}:{}: {}", file, error.source().begin.line, error.description());
  }
}

}  // namespace

const json::Value* TomlDocument::find(std::string_view path) const {
  const json::Value* value = &root;
  while (value != nullptr) {
    const std::size_t dot = path.find('.');
    value = value->find(path.substr(0, dot));
    if (dot == std::string_view::npos) break;
    path.remove_prefix(dot + 1);
  }
  return value;
}

Error TomlDocument::error(std::string_view path, const std::string& message) const {
  while (true) {
    if (const auto line = lines.find(path); line != lines.end()) {
      return Error("{}:{}: {}", file, line->second, message);
    }
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return Error("{}: {}", file, message);
    path = path.substr(0, dot);
  }
}

TomlDocument parse_toml(std::string_view text, const std::string& file,
                        const std::vector<std::string_view>& tables) {
  const toml::table whole = parse(text, file);
  TomlDocument document;
  document.file = file;
  document.root = json::make_object();
  Converter converter(document);
  for (const auto& [key, node] : in_order(whole)) {
    if (std::find(tables.begin(), tables.end(), key->str()) == tables.end()) continue;
    document.root.add(std::string(key->str()), converter.member(*key, *node, ""));
  }
  return document;
}

}  // namespace fib::pack
