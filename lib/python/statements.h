#pragma once

#include <functional>

#include "python/ast.h"

namespace fib::python {

// Calls `visit` for each block directly inside a statement, in the order of the source: bodies, else and
// finally branches, handlers, cases. Nothing for simple statements.
void for_each_block(const Stmt& statement, const std::function<void(const Block&)>& visit);

// Calls `visit` for each statement of the block and of the blocks in it, from the outside in. What stands in
// a function or class of the block has a scope of its own and is left out.
void for_each_statement(const Block& block, const std::function<void(const Stmt&)>& visit);

}  // namespace fib::python
