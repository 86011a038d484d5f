#pragma once

#include <string_view>

#include "python/ast.h"
#include "python/syntax_error.h"

namespace fib::python {

// Parses a whole module (UTF-8). Accepts the grammar of Python 3.11 generously: everything CPython's
// `ast.parse` accepts parses, apart from absurd nesting. Names are not resolved and f-strings are not looked
// into. The tree does not refer to `source`. Throws SyntaxError. Safe from any thread.
[[nodiscard]] Module parse_module(std::string_view source);

// Parses exactly one expression, as `ast.parse(mode="eval")` does: leading space is an error, trailing space,
// newlines and comments are not. Throws SyntaxError.
[[nodiscard]] ExprPtr parse_expression(std::string_view source);

// The last plain `def name` directly in the module's body; null when there is none. Async and nested
// functions, lambdas and methods do not count. The pointer lives as long as `module`.
[[nodiscard]] const FunctionDef* find_function(const Module& module, std::string_view name);

}  // namespace fib::python
