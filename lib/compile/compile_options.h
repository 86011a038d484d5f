#pragma once

#include <optional>
#include <string>

#include "model/solution.h"

namespace fib::compile {

// A sentence when an option of the solution makes a compiler run other programs or write elsewhere. The list
// is for honest mistakes and obvious tricks; a build process has no capabilities and cannot look into other
// processes of fib.
[[nodiscard]] std::optional<std::string> refused_option(const model::Solution& solution);

}  // namespace fib::compile
