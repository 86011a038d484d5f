#pragma once

#include <optional>
#include <string>
#include <variant>

#include "model/fields.h"
#include "model/json_value.h"

// The format's lax conversions of single JSON values ("8" is an integer, "yes" a boolean). Pure functions.
namespace fib::model {

// A value, or why there is none (the format's message, without path).
template <typename T>
struct Coerced {
  std::optional<T> value;
  std::string error;
};

// 8, 8.0, "8", true; integers of any size when written with digits only.
[[nodiscard]] Coerced<Integer> coerce_integer(const json::Value& value);
// 8, 8.5, "8.5", "inf", "nan", true, NaN; numbers out of range become infinite.
[[nodiscard]] Coerced<double> coerce_double(const json::Value& value);
// true, 0, 1, "yes", "no", "on", "off", "t", "f", "y", "n", "0", "1", in any case.
[[nodiscard]] Coerced<bool> coerce_boolean(const json::Value& value);
// An integer, float or boolean, keeping its type; of a string the first of the three that fits.
using AnyScalar = std::variant<Integer, double, bool>;
[[nodiscard]] Coerced<AnyScalar> coerce_scalar(const json::Value& value);

}  // namespace fib::model
