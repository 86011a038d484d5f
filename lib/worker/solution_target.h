#pragma once

#include <memory>
#include <string>

#include "worker/stage.h"
#include "worker/target.h"
#include "worker/worker_messages.h"

namespace fib::worker {

// The target of a compiled solution that lies at `path`: a shared library, or the cubin of kernels with
// spec.launch. Opening a library runs its constructors. The runtime of TVM-FFI and torch extensions must be
// loaded (load_tvm_ffi_runtime()); `stage` must outlive the target. Throws Error.
[[nodiscard]] std::unique_ptr<Target> make_solution_target(TargetKind kind, const std::string& path,
                                                           const Load& request, Stage& stage);

// Where such a solution's calls happen: `device`, with fib's own kernels for it (the cubin's bytes; "" on the
// CPU). Throws Error.
[[nodiscard]] std::unique_ptr<Stage> make_solution_stage(TargetKind kind, const UseDevice& device,
                                                         const std::string& kernels);

}  // namespace fib::worker
