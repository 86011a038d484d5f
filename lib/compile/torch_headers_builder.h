#pragma once

#include <filesystem>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

namespace fib::compile {

// A torch extension (binding torch) built with fib's own headers instead of torch's: no Python and no torch
// are needed, neither here nor where it runs. Every .cpp, .cc, .cxx and .c source, and for a CUDA device
// every .cu source, with the flags of torch.utils.cpp_extension and the solution's compile_options; linked to
// fib's runtime. What the headers do not have is a failed build. See builder.h for the cache, threads and
// errors.
[[nodiscard]] BuildResult build_torch_headers(const model::Solution& solution,
                                              const model::Definition& definition, const BuildTarget& target,
                                              const std::filesystem::path& cache);

// A torch extension as target.torch says. Automatic: with fib's headers; where that fails, and target.python
// has a torch, with that. A solution that only torch could build is remembered in the cache. Where there is
// no torch it is kUnsupported: fib cannot tell whose fault it is.
[[nodiscard]] BuildResult build_torch_extension(const model::Solution& solution,
                                                const model::Definition& definition,
                                                const BuildTarget& target,
                                                const std::filesystem::path& cache);

}  // namespace fib::compile
