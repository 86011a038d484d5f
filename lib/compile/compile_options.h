#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/solution.h"

namespace fib::compile {

// A sentence about the first option of the solution that is not among those known to be harmless: options can
// name files to write, programs to run and plugins to load. (A build is confined besides; this is a second
// door.) Words that are no options (libraries, values of the option before) are let through, but for "@file".
// Options for ptxas, the linker (-Wl, -Xlinker) and nvcc's host compiler (-Xcompiler) are looked at one by
// one. What nvcc is given (cuda_cflags, and ld_flags where there are .cu sources) must be plain besides.
[[nodiscard]] std::optional<std::string> refused_option(const model::Solution& solution);

// Whether a word can be given to nvcc: letters, digits and _-+=.,:/%@ only. nvcc runs the compiler's parts
// by a shell, in whose double quotes, or in no quotes at all (-Xcompiler, -Xptxas), it puts names and
// options.
[[nodiscard]] bool is_plain_for_nvcc(std::string_view word);

}  // namespace fib::compile
