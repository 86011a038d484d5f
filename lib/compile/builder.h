#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

namespace fib::compile {

// Whether a Python interpreter builds and calls the solution on that kind of device: Python solutions and
// torch extensions.
[[nodiscard]] bool needs_python(const model::Solution& solution, model::DeviceKind device);

// Why fib cannot build or call this solution for that kind of device; nothing when a builder takes it. One
// sentence. `python`: what find_python() has found (compile/python_interpreter.h); solutions that need an
// interpreter, or a package that it does not have (torch, triton or tilelang, where their sources import it),
// are told so. `tvm_ffi`: what find_tvm_ffi() has found; solutions that include its headers need it. Pure.
[[nodiscard]] std::optional<std::string> unsupported_reason(const model::Solution& solution,
                                                            model::DeviceKind device,
                                                            const std::optional<PythonInterpreter>& python,
                                                            const std::optional<TvmFfi>& tvm_ffi);

// Builds a solution into the cache, or finds it there (compile/artifact_cache.h). Runs compilers and Python
// as child processes of this one, or NVRTC in it; takes as long as they do: call it in a process that may be
// killed.
// Compilers: environment variables CXX, CC and NVCC, else c++, cc, and nvcc from the CUDA toolkit. Throws
// Error when the cache cannot be written or no compiler can be started.
[[nodiscard]] BuildResult build(const model::Solution& solution, const model::Definition& definition,
                                const BuildTarget& target, const std::filesystem::path& cache);

}  // namespace fib::compile
