#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

namespace fib::compile {

// Why fib cannot build this solution for that kind of device, whatever its sources say; nothing when a
// builder takes it. One sentence.
[[nodiscard]] std::optional<std::string> unsupported_reason(const model::Solution& solution,
                                                            model::DeviceKind device);

// Builds a solution into the cache, or finds it there (compile/artifact_cache.h). Runs compilers as child
// processes of this one, or NVRTC in it; takes as long as they do: call it in a process that may be killed.
// Compilers: environment variables CXX, CC and NVCC, else c++, cc, and nvcc from the CUDA toolkit. Throws
// Error when the cache cannot be written or no compiler can be started.
[[nodiscard]] BuildResult build(const model::Solution& solution, const model::Definition& definition,
                                const BuildTarget& target, const std::filesystem::path& cache);

}  // namespace fib::compile
