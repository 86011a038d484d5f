#pragma once

#include "model/definition.h"
#include "tracing/rule.h"

namespace fib::tracing {

// The rule for a definition of which nothing is configured, by its op type: the values of those inputs that
// decide what a kernel does and that random numbers cannot stand for, as far as the definition has them. Of
// other op types: every integer input of more than 8 bits and every bool one (integers of 8 bits are
// quantised numbers), once for each combination of axes.
[[nodiscard]] Rule preset_for(const model::Definition& definition);

}  // namespace fib::tracing
