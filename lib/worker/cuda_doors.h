#pragma once

#include <memory>

#include "device/cuda/context.h"
#include "worker/doors.h"

namespace fib::worker {

// As make_cuda_judge_device, by this table of the driver's functions.
[[nodiscard]] std::unique_ptr<JudgeDevice> make_cuda_judge_device(const UseDevice& device,
                                                                  const device::cuda::Driver& driver);

}  // namespace fib::worker
