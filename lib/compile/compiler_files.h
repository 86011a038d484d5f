#pragma once

#include "compile/artifact.h"
#include "compile/toolchain.h"

namespace fib::compile {

// What the compilers of a build may read besides the system's own folders (sandbox::system_paths): where
// compilers and toolkits lie that the environment names (CXX, CC, NVCC, CUDA_HOME, CUDA_PATH, CUTLASS_PATH,
// LD_LIBRARY_PATH), CUDA's headers and libraries, the interpreter and its packages, and target.readable.
// Looks at the file system.
[[nodiscard]] sandbox::FileAccess files_of_compilers(const BuildTarget& target);

}  // namespace fib::compile
