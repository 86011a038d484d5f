#pragma once

#include <string>
#include <vector>

namespace fib::cmd {

// The hidden command "__devices": prints one CUDA device name a line. Returns the process's exit code.
[[nodiscard]] int print_devices();

// Names of the CUDA devices, asked for in a child process, so that this one never opens a GPU. Empty where
// there are none or CUDA support is not built.
[[nodiscard]] std::vector<std::string> cuda_devices();

}  // namespace fib::cmd
