#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

// JSON Schemas (draft 2020-12) of what fib reads and writes. All functions are pure.
namespace fib::schema {

struct NamedSchema {
  std::string_view name;     // "eval"
  std::string_view meaning;  // "what fib eval --format json prints"
  nlohmann::ordered_json (*make)();
};

// All of them, in the order in which they are listed to users. Keys that a schema does not name are allowed:
// the format keeps them, and later versions of fib add some.
[[nodiscard]] const std::vector<NamedSchema>& all_schemas();

// Null: there is none of this name.
[[nodiscard]] const NamedSchema* find_schema(std::string_view name);

}  // namespace fib::schema
