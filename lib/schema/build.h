#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

// The pieces that schemas are made of.
namespace fib::schema {

using nlohmann::ordered_json;
using Members = std::vector<std::pair<std::string, ordered_json>>;  // name, schema

[[nodiscard]] Members with(Members members, const Members& more);  // both, in this order

[[nodiscard]] ordered_json any();      // whatever there is
[[nodiscard]] ordered_json text();     // a string
[[nodiscard]] ordered_json word();     // a string that is not empty
[[nodiscard]] ordered_json flag();     // true or false
[[nodiscard]] ordered_json count();    // a whole number, not negative
[[nodiscard]] ordered_json integer();  // a whole number
[[nodiscard]] ordered_json number();   // finite
[[nodiscard]] ordered_json real();     // a number, or "NaN", "Infinity", "-Infinity"
[[nodiscard]] ordered_json one_of(const std::vector<std::string>& words);
[[nodiscard]] ordered_json constant(const ordered_json& value);

[[nodiscard]] ordered_json list_of(const ordered_json& item);
[[nodiscard]] ordered_json map_of(const ordered_json& value);  // an object with any names
[[nodiscard]] ordered_json or_null(const ordered_json& schema);
[[nodiscard]] ordered_json either(const std::vector<ordered_json>& schemas);

// An object that has all of `required`, and may have the others.
[[nodiscard]] ordered_json object(const Members& required, const Members& optional = {});

// The whole schema: with its dialect and title.
[[nodiscard]] ordered_json titled(const std::string& title, const ordered_json& schema);

}  // namespace fib::schema
