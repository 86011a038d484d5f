#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/json_value.h"

// Writing TOML that parse_toml() reads back as the same values. Pure functions.
namespace fib::pack {

// `name` as a key: bare where that is allowed, else quoted.
[[nodiscard]] std::string toml_key(std::string_view name);

// A string: on one line, or as lines between ''' where it has several and needs no escapes.
[[nodiscard]] std::string toml_string(std::string_view text);

// `value` as it stands behind "key = "; nothing when TOML has no such value: null, integers beyond 64 bits,
// and numbers that would come back in another spelling ("1.50").
[[nodiscard]] std::optional<std::string> to_toml(const model::json::Value& value);

}  // namespace fib::pack
