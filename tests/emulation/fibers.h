#pragma once

#include <array>

// Runs kernels that were compiled for the host (tests/emulation/device.h).
namespace fib::emulation {

struct Kernel {
  void (*call)(void** arguments) = nullptr;
  void (*prepare)(const unsigned* block, const unsigned* grid, unsigned threads, void (*wait)()) = nullptr;
  void (*enter)(unsigned thread) = nullptr;
};

// The kernel of a library, which lives as long as the process; null when it has none of this name.
[[nodiscard]] Kernel* find_kernel(void* library, const char* name);

// Block after block, each with all its threads as fibers that take turns at barriers.
void run_grid(const Kernel& kernel, const std::array<unsigned, 3>& grid, unsigned threads, void** arguments);

}  // namespace fib::emulation
