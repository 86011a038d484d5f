#pragma once

#include <string>

#include "cuda/driver.h"
#include "cuda/nvrtc.h"

// Tables of the CUDA driver and of NVRTC behind which there is no GPU: kernels are compiled by the host's
// compiler and run on the CPU, one thread after the other. Device memory is memory of the process. Enough for
// the reference engine's GPU side; slow, so for small tensors.
namespace fib::emulation {

// The device's UUID in "GPU-..." form.
[[nodiscard]] std::string uuid();

[[nodiscard]] cuda::Driver driver();
[[nodiscard]] cuda::Nvrtc nvrtc();

// How much memory the device has; what is allocated counts. For tests of what happens when it is short.
void set_device_memory(std::size_t bytes);
[[nodiscard]] std::size_t device_bytes_in_use();
// Bytes that were copied to and from the device since the start.
[[nodiscard]] std::size_t uploaded_bytes();
[[nodiscard]] std::size_t downloaded_bytes();
// Kernels that were launched since the start.
[[nodiscard]] std::size_t launches();

}  // namespace fib::emulation
