#pragma once

#include <string>

#include "model/definition.h"

namespace fib::scaffold {

enum class Dialect { c, cpp, cuda };

// new_source() for what compilers take. Pure.
[[nodiscard]] std::string compiled_source(const model::Definition& definition, Dialect dialect);

}  // namespace fib::scaffold
