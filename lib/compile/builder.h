#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compile/artifact.h"
#include "model/solution.h"

namespace fib::compile {

// Why fib cannot build this solution, whatever its sources say; nothing when a builder takes it. One
// sentence.
[[nodiscard]] std::optional<std::string> unsupported_reason(const model::Solution& solution);

// Builds a solution into the cache, or finds it there. Concurrent processes that want the same artifact take
// turns by a lock file, and the later ones find it built. Runs compilers as child processes of this one;
// takes as long as they do: call it in a process that may be killed. Compilers: environment variables CXX and
// CC, else c++ and cc. Throws Error when the cache cannot be written or no compiler can be started.
[[nodiscard]] BuildResult build(const model::Solution& solution, const std::filesystem::path& cache);

}  // namespace fib::compile
