#pragma once

#include "python/ast.h"

namespace fib::python {

// "+", "//", "==": as messages show an operator.
[[nodiscard]] const char* symbol_of(BinaryOp op);
[[nodiscard]] const char* symbol_of(CompareOp op);

}  // namespace fib::python
