#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <string>

#include "device/cuda/context.h"

namespace fib::device::cuda {

// A kernel's launch that the driver has refused.
struct RefusedLaunch {
  CUfunction function = nullptr;
  std::string name;  // the kernel's, as the compiler has it; may be empty
  std::array<std::uint32_t, 3> block{};
  std::uint32_t shared_bytes = 0;  // dynamic
  CUresult result = CUDA_SUCCESS;
};

// A sentence without a full stop on why: more threads a block, or more dynamic shared memory, than the kernel
// may have on the device; or the driver's own word. Of more than one reason the first. CUDA calls most of
// them an invalid value. What is asked for comes from the launch, what is allowed from the driver. Any thread
// of the process that has the context, in no callback of CUPTI; throws nothing of its own.
[[nodiscard]] std::string why_refused(const Context& context, const RefusedLaunch& launch);

}  // namespace fib::device::cuda
