#pragma once

#include <string>
#include <vector>

#include "model/solution.h"

namespace fib::compile {

// Which of CUDA's libraries a solution uses, as the linker calls them ("cublas", "cublasLt", "cudnn",
// "curand", "cufft", "cusparse", "cusolver", "nvrtc"): those whose headers its sources include, and those
// that `dependencies` names. Sorted; cutlass and cub have none. Pure.
[[nodiscard]] std::vector<std::string> cuda_libraries(const model::Solution& solution);

}  // namespace fib::compile
