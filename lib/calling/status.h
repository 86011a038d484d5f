#pragma once

#include <string>

namespace fib::calling {

// "7", a status that a function of the C convention returned. Of one that works on a CUDA device statuses are
// those of CUDA's runtime (cudaError_t): of what kernels and memory usually fail with the meaning follows,
// "9 (cudaErrorInvalidConfiguration: invalid configuration argument)". Pure.
[[nodiscard]] std::string status_text(int status, bool on_cuda);

}  // namespace fib::calling
