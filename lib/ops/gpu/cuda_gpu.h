#pragma once

#include "cuda/driver.h"
#include "cuda/nvrtc.h"
#include "ops/gpu/gpu.h"

namespace fib::ops::gpu {

// As open_gpu(), with the tables to use: for tests.
[[nodiscard]] std::shared_ptr<Gpu> open_with(const cuda::Driver& driver, const cuda::Nvrtc& nvrtc,
                                             const std::string& uuid, int threads);

}  // namespace fib::ops::gpu
