#pragma once

#include <cstdint>
#include <variant>

#include "python/ast.h"

// Python's arithmetic on its own numbers. Integers are of 64 bits.
namespace fib::python {

using Number = std::variant<std::int64_t, double>;

// All operators but "@", and the bitwise ones for integers only. Throws Error when a result does not fit 64
// bits, for a division by zero, and for an operator that does not take the operands.
[[nodiscard]] Number binary(BinaryOp op, Number a, Number b);

// For ==, !=, <, <=, > and >=. An integer is compared with a float as a float.
[[nodiscard]] bool compare(CompareOp op, Number a, Number b);

}  // namespace fib::python
