#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/obstacle.h"
#include "model/solution.h"

namespace fib::compile {

[[nodiscard]] const char* name_of(TorchWay way);  // "auto", "headers", "real"

// Whether the solution is Python code, which an interpreter calls.
[[nodiscard]] bool needs_python(const model::Solution& solution);

// Whether it is compiled code with binding torch, to be built as an extension for that kind of device.
[[nodiscard]] bool is_torch_extension(const model::Solution& solution, model::DeviceKind device);

// Why torch itself cannot build extensions for that kind of device; nothing when it can. One sentence. Pure.
[[nodiscard]] std::optional<std::string> no_torch_reason(model::DeviceKind device,
                                                         const std::optional<PythonInterpreter>& python);

// Why fib cannot build or call this solution for that kind of device, in one sentence; nothing when a builder
// takes it. `python`: what find_python() has found (compile/python_interpreter.h); solutions that need an
// interpreter, or a package that it does not have (torch, triton or tilelang, where their sources import it),
// are told so. `tvm_ffi`: what find_tvm_ffi() has found; solutions that include its headers need it. `torch`:
// torch extensions need an interpreter with torch when that alone is to build them. Pure.
[[nodiscard]] std::optional<model::Obstacle> unsupported_reason(
    const model::Solution& solution, model::DeviceKind device, const std::optional<PythonInterpreter>& python,
    const std::optional<TvmFfi>& tvm_ffi, TorchWay torch);

// Builds a solution into the cache, or finds it there (compile/artifact_cache.h). Runs compilers and Python
// as child processes of this one, or NVRTC in it; takes as long as they do: call it in a process that may be
// killed.
// Compilers: environment variables CXX, CC and NVCC, else c++, cc, and nvcc from the CUDA toolkit. Throws
// Error when the cache cannot be written or no compiler can be started.
[[nodiscard]] BuildResult build(const model::Solution& solution, const model::Definition& definition,
                                const BuildTarget& target, const std::filesystem::path& cache);

}  // namespace fib::compile
