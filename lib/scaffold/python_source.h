#pragma once

#include <string>

#include "model/definition.h"

namespace fib::scaffold {

// new_source() for Python, with a Triton kernel or without. Pure.
[[nodiscard]] std::string python_source(const model::Definition& definition, bool with_triton);

}  // namespace fib::scaffold
