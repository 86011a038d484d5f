#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "cuda/driver.h"
#include "cuda/nvrtc.h"

// Tables of the CUDA driver and of NVRTC behind which there is no GPU: kernels are compiled by the host's
// compiler and run on the CPU, one thread after the other. Device memory is memory of the process; what is
// shared with others is a memfd, so that a test can look at it through its descriptor. Enough for the
// reference engine's GPU side and for the judge's; slow, so for small tensors.
namespace fib::emulation {

// The device's UUID in "GPU-..." form.
[[nodiscard]] std::string uuid();

[[nodiscard]] cuda::Driver driver();
[[nodiscard]] cuda::Nvrtc nvrtc();

// fib's own kernels (kernels/) for this device, as compile::device_kernels gives them: a file. Compiled anew
// by each call. Throws Error.
[[nodiscard]] std::filesystem::path kernels();

// How much memory the device has; what is allocated counts. For tests of what happens when it is short.
void set_device_memory(std::size_t bytes);
[[nodiscard]] std::size_t device_bytes_in_use();
// Blocks of device and page-locked memory that were allocated since the start.
[[nodiscard]] std::size_t allocations();
// Streams that were told to wait for an event since the start. Streams here do not block on the default one.
[[nodiscard]] std::size_t stream_waits();
// Bytes that were copied to and from the device since the start.
[[nodiscard]] std::size_t uploaded_bytes();
[[nodiscard]] std::size_t downloaded_bytes();
// Whether every stream is being captured.
void set_capturing(bool yes);
// Kernels that were launched since the start.
[[nodiscard]] std::size_t launches();

}  // namespace fib::emulation
