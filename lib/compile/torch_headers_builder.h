#pragma once

#include <filesystem>
#include <string>

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

// Whether a build failed by an error that a compiler, an assembler or a linker has found in what it was
// given. False where a program crashed or a limit was reached: another time it may go well.
[[nodiscard]] bool is_verdict(const std::string& failure);

// A torch extension as target.torch says. Automatic: with fib's headers; where that fails, and target.python
// has a torch, with that. A solution in which the compiler found errors with the headers, and none with
// torch, is remembered in the cache. Where there is
// no torch it is kUnsupported: fib cannot tell whose fault it is.
[[nodiscard]] BuildResult build_torch_extension(const model::Solution& solution,
                                                const model::Definition& definition,
                                                const BuildTarget& target,
                                                const std::filesystem::path& cache);

}  // namespace fib::compile
