#pragma once

#include <set>
#include <string>

#include "model/definition.h"

namespace fib::model {

// An axis that follows from others, such as "attention_head_dim // 2": integers, names, + - * / // % ** and
// parentheses, with Python's meaning.

// Throws Error when `expression` is anything else, or has a name that is not one of `names`.
void check_axis_expression(const std::string& expression, const std::set<std::string>& names);

// Its value; `expression` has passed the check for the names in `values`. Throws Error when the arithmetic
// fails, and when the result is no size: negative, or not whole (4.0 is whole).
[[nodiscard]] std::int64_t axis_expression_value(const std::string& expression, const AxisValues& values);

}  // namespace fib::model
