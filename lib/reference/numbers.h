#pragma once

#include "reference/value.h"

// Python's arithmetic on its own numbers: bool, int and float. Integers are of 64 bits; a larger result
// throws Error, as do division by zero and operators that do not take the operands.
namespace fib::reference {

[[nodiscard]] Value number_binary(python::BinaryOp op, const Value& a, const Value& b);
[[nodiscard]] Value number_unary(python::UnaryOp op, const Value& value);
// For ==, !=, <, <=, > and >=.
[[nodiscard]] bool number_compare(python::CompareOp op, const Value& a, const Value& b);

}  // namespace fib::reference
