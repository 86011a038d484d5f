// Stands in for cuda_doors.cpp and cuda_stage.cpp where CUDA's headers were not there to build with.
#include "worker/doors.h"
#include "worker/exact_memory.h"
#include "worker/stage.h"

namespace fib::worker {

constexpr const char* kNotBuilt = "this fib was built without CUDA support";

std::unique_ptr<JudgeDevice> make_cuda_judge_device(const UseDevice&) { throw Error(kNotBuilt); }
std::unique_ptr<Stage> make_cuda_stage(const UseDevice&, const std::string&, const CudaStageOptions&) {
  throw Error(kNotBuilt);
}
void open_cuda_ahead() {}
std::unique_ptr<Target> make_kernel_target(Stage&, const std::string&) { throw Error(kNotBuilt); }

std::unique_ptr<ExactMemory> make_cuda_exact_memory(Stage&, const eval::Layout&,
                                                    const std::vector<std::byte>&) {
  throw Error(kNotBuilt);
}

}  // namespace fib::worker
