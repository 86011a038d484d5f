#pragma once

#include <filesystem>

#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

namespace fib::compile {

// A solution with spec.launch: its entry source is compiled by NVRTC to a cubin, with the kernels that the
// launch plan names; all other sources are headers, found by their paths. Options: the architecture, C++17,
// the folders of the sources, CUDA's and CCCL's include folders where there are any, CUTLASS_PATH/include
// where `dependencies` names cutlass (with --device-as-default-execution-space), then
// compile_options.cuda_cflags (nvcc's -O levels are dropped: NVRTC always optimises). See builder.h.
[[nodiscard]] BuildResult build_kernels(const model::Solution& solution, const model::Definition& definition,
                                        const BuildTarget& target, const std::filesystem::path& cache);

}  // namespace fib::compile
