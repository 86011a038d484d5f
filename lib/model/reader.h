#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"
#include "model/fields.h"
#include "model/json_value.h"

// How the models read their fields: every function notes what is wrong under the field's path and goes on, so
// that all field errors are collected.
namespace fib::model {

struct ReadContext {
  Mode mode = Mode::lenient;
  std::vector<FieldError> errors;

  // Of very many errors the first thousand are kept.
  void fail(const std::string& path, const std::string& message) {
    constexpr std::size_t kMostErrors = 1000;
    if (errors.size() < kMostErrors) errors.push_back({path, message});
  }
  // Throws ParseError when anything was noted.
  void finish() const;
};

// "a.b", or "b" when `path` is empty.
[[nodiscard]] std::string join_path(const std::string& path, std::string_view name);

enum class MinLength { zero, one };

// Readers of one value. On an error they return an empty value.
std::string read_text(const json::Value& value, const std::string& path, ReadContext& context,
                      MinLength minimum);
std::vector<std::string> read_texts(const json::Value& value, const std::string& path, ReadContext& context,
                                    MinLength minimum);
Integer read_count(const json::Value& value, const std::string& path,
                   ReadContext& context);  // an integer >= 0

// The members of one object. Asking for a member marks it as known.
class ObjectReader {
 public:
  // Notes an error when `value` is no object; it is then empty, and missing fields are not reported.
  ObjectReader(const json::Value& value, std::string path, ReadContext& context);

  [[nodiscard]] bool is_object() const { return value_.kind == json::Kind::object; }
  [[nodiscard]] std::string path_of(std::string_view name) const { return join_path(path_, name); }

  // A member's value; null when it is absent.
  const json::Value* optional(std::string_view name);
  // The same, noting "Field required" when it is absent.
  const json::Value* required(std::string_view name);

  // A required string.
  std::string text(std::string_view name, MinLength minimum = MinLength::one);
  // An optional list of non-empty strings.
  std::optional<std::vector<std::string>> texts(std::string_view name);
  // An optional string that may be null.
  NullableText nullable_text(std::string_view name);

  // The members nobody asked for; none in upstream mode.
  [[nodiscard]] Unknown unknown() const;

 private:
  const json::Value& value_;
  std::string path_;
  ReadContext& context_;
  std::set<std::string, std::less<>> known_;
};

// Calls `read(name, value, path)` for every member of the required object `field`, whose names have that
// length.
template <typename Read>
void read_map(ObjectReader& parent, std::string_view field, ReadContext& context, MinLength minimum,
              Read&& read) {
  const json::Value* value = parent.required(field);
  if (value == nullptr) return;
  const std::string path = parent.path_of(field);
  if (value->kind != json::Kind::object) context.fail(path, "Input should be an object");
  for (const auto& [name, member] : value->members) {
    if (minimum == MinLength::one && name.empty()) {
      context.fail(path + "..[key]", "String should have at least 1 character");
    }
    read(name, member, join_path(path, name));
  }
}

// A workload that is a field of something else.
struct Workload;
Workload read_workload_fields(const json::Value& value, const std::string& path, ReadContext& context);

// "Input should be 'a', 'b' or 'c'".
[[nodiscard]] std::string expected_one_of(const std::vector<std::string_view>& words);

// How the models write their fields.
void add_unknown(json::Value& object, const Unknown& unknown);
void add_nullable(json::Value& object, std::string_view name, const NullableText& text);
[[nodiscard]] json::Value to_value(const std::vector<std::string>& texts);
[[nodiscard]] json::Value to_value(const Integer& integer);

}  // namespace fib::model
