#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/solution.h"

namespace fib::pack {

// Whether a source defines `symbol`, by its text: a function or class at the top of a Python file, a function
// body in C, C++ or CUDA, or a name under which such a file exports a function to Python.
[[nodiscard]] bool defines(const model::SourceFile& source, std::string_view symbol);

// "<file>::<symbol>" for an entry point that may lack its file: that of the only source, or of the only one
// that defines the symbol. Throws Error when that is none or several.
[[nodiscard]] std::string complete_entry_point(const std::string& entry_point,
                                               const std::vector<model::SourceFile>& sources);

}  // namespace fib::pack
