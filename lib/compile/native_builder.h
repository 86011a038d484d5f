#pragma once

#include <filesystem>

#include "compile/artifact.h"
#include "model/solution.h"

namespace fib::compile {

// The host compiler, and nvcc for CUDA devices: every .cpp, .cc, .cxx (CXX) and .c (CC) source becomes an
// object, all objects one shared library without undefined symbols. Base flags "-std=c++17 -O2 -fPIC" (C:
// "-O2 -fPIC"), the folder of the sources as include path, then compile_options.cflags; at the link
// compile_options.ld_flags. For a CUDA device .cu sources are compiled by nvcc ("-std=c++17 -O3", the
// device's architecture, compile_options.cuda_cflags), which then links too. Other sources are only written
// beside them. See builder.h for the cache, threads and errors.
[[nodiscard]] BuildResult build_native(const model::Solution& solution, const BuildTarget& target,
                                       const std::filesystem::path& cache);

// What the compilers that build_native() takes say of themselves, one line each; empty where one is not
// needed for that kind of device or cannot be started. Runs them.
struct CompilerVersions {
  std::string cxx;   // "c++ (Debian 12.2.0-14) 12.2.0"
  std::string nvcc;  // "Cuda compilation tools, release 13.0, V13.0.88"
};
[[nodiscard]] CompilerVersions compiler_versions(model::DeviceKind device);

}  // namespace fib::compile
