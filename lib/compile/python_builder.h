#pragma once

#include <filesystem>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

namespace fib::compile {

// A solution in Python (languages python, triton, tilelang): its sources below a folder named as its package,
// "fib_python_<name>_<hash>", each checked by the interpreter's own compiler. The entry point must be there
// and take the arguments of a call, as far as that can be seen. No code of the solution runs. `target.python`
// must be there. See builder.h for the cache, threads and errors.
[[nodiscard]] BuildResult build_python(const model::Solution& solution, const model::Definition& definition,
                                       const BuildTarget& target, const std::filesystem::path& cache);

}  // namespace fib::compile
