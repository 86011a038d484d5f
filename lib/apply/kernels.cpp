#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "apply/loaded.h"
#include "arguments/call_value.h"
#include "compile/kernel_launch.h"
#include "compile/launch_plan.h"
#include "util/error.h"
#include "util/files.h"

namespace fib::apply {
namespace {

using arguments::ArgumentValue;
using compile::LaunchArgument;

constexpr std::size_t kMostParameters = 256;  // of a kernel

std::vector<compile::LaunchTensor> launch_tensors(const arguments::Signature& signature, bool outputs) {
  std::vector<compile::LaunchTensor> tensors;
  const std::size_t begin = outputs ? signature.inputs() : 0;
  const std::size_t end = outputs ? signature.parameters().size() : signature.inputs();
  for (std::size_t i = begin; i < end; ++i) {
    const auto& parameter = signature.parameters()[i];
    const bool scalar = parameter.scalar && !outputs;
    tensors.push_back({parameter.name, scalar ? arguments::scalar_bytes(parameter.dtype) : 0,
                       std::string(tensor::name_of(parameter.dtype))});
  }
  return tensors;
}

// The workspaces of a plan, one set for each stream, so that calls on several streams do not share them.
class Workspaces {
 public:
  Workspaces(const cuda::Driver& driver, std::int32_t device, std::vector<std::uint64_t> bytes)
      : driver_(driver), device_(device), bytes_(std::move(bytes)) {}
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;
  ~Workspaces() {
    try {
      const CurrentContext current(driver_, device_);
      for (const auto& set : sets_) {
        for (const CUdeviceptr memory : set.memory) (void)driver_.free(memory);
      }
    } catch (const Error&) {  // the driver is shutting down, and takes its memory along
    }
  }

  [[nodiscard]] bool has(void* stream) const {
    if (bytes_.empty()) return true;
    const std::shared_lock lock(mutex_);
    return find(stream) != nullptr;
  }

  void make(void* stream) {
    if (has(stream)) return;
    const std::unique_lock lock(mutex_);
    if (find(stream) != nullptr) return;
    const CurrentContext current(driver_, device_);
    Set set{stream, {}};
    for (const std::uint64_t bytes : bytes_) {
      CUdeviceptr memory = 0;
      if (bytes > 0) driver_.check(driver_.allocate(&memory, bytes), "cuMemAlloc");
      set.memory.push_back(memory);
    }
    sets_.push_back(std::move(set));
  }

  // Of a stream that has() holds for. `memory` gets as many addresses as there are workspaces.
  void addresses(void* stream, CUdeviceptr* memory) const {
    if (bytes_.empty()) return;
    const std::shared_lock lock(mutex_);
    if (const Set* set = find(stream)) std::copy(set->memory.begin(), set->memory.end(), memory);
  }

  [[nodiscard]] std::size_t count() const { return bytes_.size(); }

 private:
  struct Set {
    void* stream;
    std::vector<CUdeviceptr> memory;
  };
  [[nodiscard]] const Set* find(void* stream) const {
    const auto found =
        std::find_if(sets_.begin(), sets_.end(), [&](const Set& set) { return set.stream == stream; });
    return found == sets_.end() ? nullptr : &*found;
  }

  const cuda::Driver& driver_;
  std::int32_t device_;
  std::vector<std::uint64_t> bytes_;
  mutable std::shared_mutex mutex_;
  std::vector<Set> sets_;
};

class KernelCall : public PreparedCall {
 public:
  KernelCall(const cuda::Driver& driver, std::int32_t device, const arguments::Signature& signature,
             std::vector<compile::KernelReady> kernels, std::vector<std::uint64_t> workspaces)
      : driver_(driver),
        device_(device),
        signature_(signature),
        kernels_(std::move(kernels)),
        workspaces_(driver, device, std::move(workspaces)) {
    if (workspaces_.count() > kMostParameters)
      throw Error("its launch plan has {} workspaces", workspaces_.count());
    for (const auto& kernel : kernels_) {
      if (kernel.parameters.size() > kMostParameters)
        throw Error("a kernel takes {} parameters, more than {}", kernel.parameters.size(), kMostParameters);
    }
  }

  [[nodiscard]] bool is_ready(void* stream) const override { return workspaces_.has(stream); }
  void make_ready(void* stream) override { workspaces_.make(stream); }

  [[nodiscard]] bool call(const Argument* arguments, void* stream, std::string& error) const override {
    CUresult result = launch_all(arguments, stream);
    if (result == CUDA_ERROR_INVALID_CONTEXT) result = launch_in_context(arguments, stream);
    if (result == CUDA_SUCCESS) return true;
    error = "cuLaunchKernelEx: " + driver_.describe(result);
    return false;
  }

 private:
  // A thread that has not called CUDA yet has no current context.
  [[nodiscard]] CUresult launch_in_context(const Argument* arguments, void* stream) const {
    try {
      const CurrentContext current(driver_, device_);
      return launch_all(arguments, stream);
    } catch (const cuda::DriverError& error) {
      return error.code;
    }
  }

  [[nodiscard]] CUresult launch_all(const Argument* arguments, void* stream) const {
    CUdeviceptr workspaces[kMostParameters];
    workspaces_.addresses(stream, workspaces);
    for (const auto& kernel : kernels_) {
      ArgumentValue values[kMostParameters];
      void* pointers[kMostParameters];
      for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        set(values[i], kernel.parameters[i], arguments, workspaces);
        pointers[i] = &values[i];
      }
      CUlaunchConfig config = kernel.config;
      config.hStream = static_cast<CUstream>(stream);
      const CUresult result = driver_.launch_ex(&config, kernel.function, pointers, nullptr);
      if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
  }

  void set(ArgumentValue& value, const compile::LaunchParameter& parameter, const Argument* arguments,
           const CUdeviceptr* workspaces) const {
    switch (parameter.kind) {
      case LaunchArgument::Kind::kInput:
        if (parameter.scalar) {
          arguments::load_scalar(signature_.parameters()[parameter.index].dtype,
                                 reinterpret_cast<const std::byte*>(&arguments[parameter.index].scalar),
                                 value);
        } else {
          value.pointer = arguments[parameter.index].address;
        }
        break;
      case LaunchArgument::Kind::kOutput:
        value.pointer = arguments[signature_.inputs() + parameter.index].address;
        break;
      case LaunchArgument::Kind::kWorkspace:
        value.i64 = static_cast<std::int64_t>(workspaces[parameter.index]);
        break;
      case LaunchArgument::Kind::kInteger:
        value.i64 = parameter.value;
    }
  }

  const cuda::Driver& driver_;
  std::int32_t device_;
  const arguments::Signature& signature_;
  std::vector<compile::KernelReady> kernels_;
  Workspaces workspaces_;
};

class Kernels : public LoadedSolution {
 public:
  Kernels(const LoadRequest& request, const cuda::Driver& driver, std::int32_t device)
      : driver_(driver),
        device_(device),
        signature_(request.signature),
        symbols_(request.artifact.kernels),
        plan_(compile::parse_launch_plan(request.solution, request.definition)) {
    const CurrentContext current(driver_, device_);
    const std::string cubin = util::read_file(request.artifact.file);
    driver_.check(driver_.module_load(&module_, cubin.data()), "cuModuleLoadData");
    driver_.check(driver_.device_get(&handle_, device_), "cuDeviceGet");
  }

  [[nodiscard]] std::unique_ptr<PreparedCall> prepare(const arguments::Case& /*found*/,
                                                      const model::AxisValues& axes) override {
    const CurrentContext current(driver_, device_);
    const auto resolved = compile::resolve(plan_, symbols_, axes);
    auto kernels =
        compile::ready_kernels(driver_, handle_, module_, resolved, launch_tensors(signature_, false),
                               launch_tensors(signature_, true));
    return std::make_unique<KernelCall>(driver_, device_, signature_, std::move(kernels),
                                        resolved.workspaces);
  }

 private:
  const cuda::Driver& driver_;
  std::int32_t device_;
  CUdevice handle_ = 0;
  const arguments::Signature& signature_;
  std::vector<std::string> symbols_;
  compile::LaunchPlan plan_;
  CUmodule module_ = nullptr;
};

}  // namespace

CurrentContext::CurrentContext(const cuda::Driver& driver, std::int32_t device) : driver_(driver) {
  driver.check(driver.get_current(&before_), "cuCtxGetCurrent");
  CUdevice handle = 0;
  driver.check(driver.device_get(&handle, device), "cuDeviceGet");
  CUcontext primary = nullptr;
  driver.check(driver.primary_retain(&primary, handle),
               "cuDevicePrimaryCtxRetain");  // kept until the process ends
  driver.check(driver.set_current(primary), "cuCtxSetCurrent");
}

CurrentContext::~CurrentContext() {
  // A thread that had none keeps the primary context, as the runtime library has it.
  if (before_ != nullptr) (void)driver_.set_current(before_);
}

std::unique_ptr<LoadedSolution> load_kernels(const LoadRequest& request, const cuda::Driver& driver,
                                             std::int32_t device) {
  return std::make_unique<Kernels>(request, driver, device);
}

}  // namespace fib::apply
