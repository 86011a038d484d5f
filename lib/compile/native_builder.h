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

}  // namespace fib::compile
