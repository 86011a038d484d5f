#pragma once

#include "reference/value.h"

// Python's operators on any values: numbers, tensors, strings and sequences. They throw Error for operands
// they do not take.
namespace fib::reference {

[[nodiscard]] Value binary_operator(const Runtime& runtime, python::BinaryOp op, const Value& a,
                                    const Value& b);
// a op= b: tensors and lists change in place; the result is what the name then stands for.
[[nodiscard]] Value augmented(const Runtime& runtime, python::BinaryOp op, const Value& a, const Value& b);
[[nodiscard]] Value unary_operator(const Runtime& runtime, python::UnaryOp op, const Value& value);
// One link of a comparison; a tensor of bool when an operand is a tensor.
[[nodiscard]] Value compare(const Runtime& runtime, python::CompareOp op, const Value& a, const Value& b);

}  // namespace fib::reference
