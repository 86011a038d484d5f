#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/json_value.h"

// Small value types that the models share.
namespace fib::model {

// A map whose order is the file's.
template <typename T>
using Ordered = std::vector<std::pair<std::string, T>>;

// The value of `name`, or null. Ordered maps here have a handful of entries.
template <typename T>
[[nodiscard]] const T* find(const Ordered<T>& map, std::string_view name) {
  for (const auto& [key, value] : map) {
    if (key == name) return &value;
  }
  return nullptr;
}

// An optional text that remembers whether its key was absent (nothing), null, or a string.
using NullableText = std::optional<std::optional<std::string>>;

// Members that the format does not know: kept in order and written back after the known ones.
using Unknown = std::vector<json::Member>;

// An integer of the format. The format sets no bound; those beyond int64_t keep their digits and cannot be
// computed with.
struct Integer {
  std::int64_t value = 0;  // saturated when `digits` is set
  std::string digits;      // decimal text of an integer that does not fit int64_t, else empty

  Integer() = default;
  Integer(std::int64_t v) : value(v) {}  // NOLINT: an int64_t is an Integer
  [[nodiscard]] bool fits() const { return digits.empty(); }
  friend bool operator==(const Integer&, const Integer&) = default;
};

}  // namespace fib::model
