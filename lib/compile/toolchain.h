#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/solution.h"

namespace fib::compile {

// The compilers' commands: environment variables CXX, CC and NVCC, else c++, cc, and nvcc from the CUDA
// toolkit (CUDA_HOME, CUDA_PATH, /usr/local/cuda) or PATH.
struct Toolchain {
  Toolchain();
  std::vector<std::string> cxx;
  std::vector<std::string> cc;
  std::vector<std::string> nvcc;
};

// What a compiler says of itself. Throws Error when it cannot be started.
[[nodiscard]] std::string version_of(std::vector<std::string> compiler);

// The first line of it that holds `mark`; empty when there is none or the compiler cannot be started.
[[nodiscard]] std::string version_line(const std::vector<std::string>& compiler, std::string_view mark);

// What decides the meaning of options such as "-march=native": the CPU's name and features where the solution
// has one, else the empty string.
[[nodiscard]] std::string native_cpu(const model::Solution& solution);

}  // namespace fib::compile
