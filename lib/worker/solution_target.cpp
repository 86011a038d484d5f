#include "worker/solution_target.h"

#include "util/files.h"
#include "worker/tvm_ffi_target.h"

namespace fib::worker {

std::unique_ptr<Target> make_solution_target(TargetKind kind, const std::string& path, const Load& request,
                                             Stage& stage) {
  if (kind == TargetKind::kKernels) return make_kernel_target(stage, util::read_file(path));
  if (kind == TargetKind::kTvmFfi)
    return make_tvm_ffi_target(stage, path, request.symbol, request.returns_values);
  if (kind == TargetKind::kTorchHeaders)
    return make_torch_headers_target(stage, path, request.extension, request.symbol, request.returns_values);
  return make_library_target(path, request.symbol, request.returns_status);
}

std::unique_ptr<Stage> make_solution_stage(TargetKind kind, const UseDevice& device,
                                           const std::string& kernels) {
  if (!device.is_cuda()) return make_cpu_stage();
  const bool host_code = kind != TargetKind::kKernels;
  // torch's current stream is the default one, on which extensions launch as they like.
  const auto stream = kind == TargetKind::kTorchHeaders ? WorkStream::kDefault : WorkStream::kOwn;
  return make_cuda_stage(device, kernels, {host_code, stream});
}

}  // namespace fib::worker
