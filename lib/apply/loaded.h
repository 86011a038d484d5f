#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "arguments/signature.h"
#include "compile/artifact.h"
#include "model/definition.h"
#include "model/solution.h"

#if FIB_CUDA
#include "cuda/driver.h"
#endif

// Solutions in this process, without a sandbox: their code may do what the program may.
namespace fib::apply {

class CallDevice;

// One argument of a call: the address of a tensor's first element, or a scalar's 8 bytes
// (arguments::scalar_bits()).
union Argument {
  std::byte* address;
  std::int64_t scalar;
};

// How a call ended.
enum class CallEnd {
  done,
  refused,  // the solution does not do this case: its function said so
  impeded,  // the device or the stream could not take it now, which is not the solution's fault
  failed,   // anything else: the solution is not to be trusted any more
};

// Calls of one case. Immutable but for what make_ready() makes; any thread.
class PreparedCall {
 public:
  PreparedCall() = default;
  virtual ~PreparedCall() = default;
  PreparedCall(const PreparedCall&) = delete;
  PreparedCall& operator=(const PreparedCall&) = delete;

  // Whether a call on that stream needs nothing more to be made.
  [[nodiscard]] virtual bool is_ready(void* stream) const = 0;
  // Makes it, such as a workspace. Not while the stream is being captured. Throws Error.
  virtual void make_ready(void* stream) = 0;

  // Calls the solution; on CUDA its work is queued on `stream`. `arguments` are the inputs and outputs of the
  // signature, in order. Unless it is done, `error` gets a sentence. Allocates nothing when it is done.
  // is_ready(stream) has to hold.
  [[nodiscard]] virtual CallEnd call(const Argument* arguments, void* stream, std::string& error) const = 0;
};

// A solution, loaded for one device. What it has loaded stays in the process. Any thread.
class LoadedSolution {
 public:
  LoadedSolution() = default;
  virtual ~LoadedSolution() = default;
  LoadedSolution(const LoadedSolution&) = delete;
  LoadedSolution& operator=(const LoadedSolution&) = delete;

  // `axes` are all axes of the case. The result may be used as long as this object. Throws Error where the
  // solution cannot do this case.
  [[nodiscard]] virtual std::unique_ptr<PreparedCall> prepare(const arguments::Case& found,
                                                              const model::AxisValues& axes) = 0;
};

// A solution and what its build left, for `signature`, which has to outlive what is loaded.
struct LoadRequest {
  const arguments::Signature& signature;
  const model::Definition& definition;
  const model::Solution& solution;
  compile::Artifact artifact;
};

// A function of a library by the C convention. Its constructors run here. Throws Error.
[[nodiscard]] std::unique_ptr<LoadedSolution> load_library(const LoadRequest& request, bool on_cuda);

// A function by TVM-FFI's convention. What it returns, where it passes no destinations, is copied to the
// outputs of the call. The process's own libtvm_ffi is its runtime where one is loaded, else fib's is loaded.
// Throws Error.
[[nodiscard]] std::unique_ptr<LoadedSolution> load_tvm_ffi(const LoadRequest& request,
                                                           std::shared_ptr<CallDevice> device);

#if FIB_CUDA
// Kernels with spec.launch, in the primary context of `device`. `driver` has to outlive it. Throws Error.
[[nodiscard]] std::unique_ptr<LoadedSolution> load_kernels(const LoadRequest& request,
                                                           const cuda::Driver& driver, std::int32_t device);
#endif

}  // namespace fib::apply
