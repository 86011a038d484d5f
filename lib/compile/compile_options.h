#pragma once

#include <optional>
#include <string>

#include "model/solution.h"

namespace fib::compile {

// A sentence about the first option of the solution that is not among those known to be harmless: options can
// name files to write, programs to run and plugins to load, and a build is not confined to its folder. Words
// that are no options (libraries, values of the option before) are let through, but for "@file". Options for
// ptxas, the linker (-Wl, -Xlinker) and nvcc's host compiler (-Xcompiler) are looked at one by one.
[[nodiscard]] std::optional<std::string> refused_option(const model::Solution& solution);

}  // namespace fib::compile
