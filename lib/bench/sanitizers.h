#pragma once

#include <string>
#include <vector>

#include "bench/probe.h"
#include "compile/sanitizer_log.h"

namespace fib::bench {

// A program of the CUDA toolkit, by its path: of CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda; empty: it is
// not here. Reads the environment.
[[nodiscard]] std::string find_cuda_tool(const std::string& name);

// A sanitizer for solutions.
struct Sanitizer {
  std::string name;  // "address,undefined", "memcheck", "racecheck", "initcheck", "synccheck"
  ProbeTool tool;
  std::string missing;  // why it cannot be used here, in a sentence; empty: it can
};

// Those for solutions on that kind of device: AddressSanitizer with UndefinedBehaviorSanitizer of the host
// compiler (CXX) on the CPU, the tools of compute-sanitizer (from PATH, or the CUDA toolkit) on CUDA. Runs
// the compiler.
[[nodiscard]] std::vector<Sanitizer> sanitizers_for(model::DeviceKind device);

// What one of them has found in the output of a probe.
[[nodiscard]] std::vector<compile::Finding> findings_of(const Sanitizer& sanitizer,
                                                        const std::string& output);

}  // namespace fib::bench
