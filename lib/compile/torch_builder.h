#pragma once

#include <filesystem>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

namespace fib::compile {

// A torch extension (languages cpp and cuda with binding torch): every .cpp, .cc, .cxx and .c source, and for
// a CUDA device every .cu source, built by torch.utils.cpp_extension.load in `target.python` (which must be
// there) to a Python extension module "torch_<name>_<hash>". torch's own flags stay; before them that decide
// nothing else stand -O2 (host) and -O3 (nvcc), behind them the solution's compile_options. The folder of the
// sources is on the include path; the only architecture is the device's. Nothing that was built is loaded:
// undefined symbols are looked for at the link, and the module's init function in the library. See builder.h
// for the cache, threads and errors.
[[nodiscard]] BuildResult build_torch(const model::Solution& solution, const model::Definition& definition,
                                      const BuildTarget& target, const std::filesystem::path& cache);

// The device's number in torch's words: "sm_90a" -> "9.0a", "sm_120" -> "12.0".
[[nodiscard]] std::string torch_architecture(const std::string& architecture);

}  // namespace fib::compile
