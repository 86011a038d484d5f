#pragma once

#include <filesystem>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

namespace fib::compile {

// A library that TVM-FFI calls: it exports __tvm_ffi_<entry symbol>. Compiled as tvm_ffi.cpp.build does (C++
// "-std=c++17 -fPIC -O2", C "-fPIC -O2", nvcc "-std=c++17 -O2" for the device's architecture, with its `a`
// variant), with the headers of target.tvm_ffi where the sources include them, and compile_options. On CUDA
// it is linked with the libraries that its sources and dependencies name (cuda_libraries.h). It is linked to
// fib's runtime; where that lacks a symbol, to the package's libtvm_ffi; where there is none, the log names
// each missing symbol. See builder.h for the cache, threads and errors.
[[nodiscard]] BuildResult build_tvm_ffi(const model::Solution& solution, const model::Definition& definition,
                                        const BuildTarget& target, const std::filesystem::path& cache);

}  // namespace fib::compile
