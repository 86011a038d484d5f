#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "apply/driver_calls.h"
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
using cuda::CurrentContext;

constexpr std::size_t kMostParameters = 256;  // of a kernel

std::vector<compile::LaunchTensor> launch_tensors(const arguments::Signature& signature, bool outputs) {
  std::vector<compile::LaunchTensor> tensors;
  const std::size_t begin = outputs ? signature.inputs() : 0;
  const std::size_t end = outputs ? signature.parameters().size() : signature.inputs();
  for (std::size_t i = begin; i < end; ++i) {
    const auto& parameter = signature.parameters()[i];
    tensors.push_back({parameter.name, parameter.scalar ? arguments::scalar_bytes(parameter.dtype) : 0,
                       std::string(tensor::name_of(parameter.dtype))});
  }
  return tensors;
}

// Workspaces of a solution, one set for each stream, so that calls on several streams do not share them; of
// the per-thread default stream one for each thread. A set grows to what the largest case needs; what it was
// before stays until the end, since work that is queued, or in a captured graph, may use it.
class Workspaces {
 public:
  Workspaces(const cuda::Driver& driver, std::int32_t device) : driver_(driver), device_(device) {}
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;
  ~Workspaces() {
    try {
      const CurrentContext current(driver_, device_);
      for (const CUdeviceptr memory : all_) (void)driver_.free(memory);
    } catch (const Error&) {  // the driver is shutting down, and takes its memory along
    }
  }

  // Whether the stream has workspaces of these sizes, in bytes.
  [[nodiscard]] bool has(void* stream, const std::vector<std::uint64_t>& bytes) const {
    if (bytes.empty()) return true;
    const std::shared_lock lock(mutex_);
    const auto found = sets_.find(key_of(stream));
    return found != sets_.end() && holds(found->second, bytes);
  }

  void make(void* stream, const std::vector<std::uint64_t>& bytes) {
    const std::unique_lock lock(mutex_);
    auto& set = sets_[key_of(stream)];
    set.resize(std::max(set.size(), bytes.size()));
    if (holds(set, bytes)) return;
    const CurrentContext current(driver_, device_);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] <= set[i].bytes) continue;
      const std::uint64_t size = std::bit_ceil(bytes[i]);  // so that growing cases do not allocate each time
      CUdeviceptr memory = 0;
      driver_.check(driver_.allocate(&memory, size), "cuMemAlloc");
      all_.push_back(memory);
      set[i] = {memory, size};
    }
  }

  // Of a stream that has() holds for. `memory` gets `count` addresses.
  void addresses(void* stream, std::size_t count, CUdeviceptr* memory) const {
    if (count == 0) return;
    const std::shared_lock lock(mutex_);
    const auto found = sets_.find(key_of(stream));
    for (std::size_t i = 0; i < count && found != sets_.end(); ++i) memory[i] = found->second[i].memory;
  }

 private:
  struct Memory {
    CUdeviceptr memory = 0;
    std::uint64_t bytes = 0;
  };
  static bool holds(const std::vector<Memory>& set, const std::vector<std::uint64_t>& bytes) {
    if (set.size() < bytes.size()) return false;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (set[i].bytes < bytes[i]) return false;
    }
    return true;
  }

  const cuda::Driver& driver_;
  std::int32_t device_;
  mutable std::shared_mutex mutex_;
  std::map<StreamKey, std::vector<Memory>> sets_;
  std::vector<CUdeviceptr> all_;
};

class KernelCall : public PreparedCall {
 public:
  KernelCall(const cuda::Driver& driver, std::int32_t device, const arguments::Signature& signature,
             std::vector<compile::KernelReady> kernels, std::vector<std::uint64_t> bytes,
             Workspaces& workspaces)
      : driver_(driver),
        device_(device),
        signature_(signature),
        kernels_(std::move(kernels)),
        bytes_(std::move(bytes)),
        workspaces_(workspaces) {
    if (bytes_.size() > kMostParameters) throw Error("its launch plan has {} workspaces", bytes_.size());
    for (const auto& kernel : kernels_) {
      if (kernel.parameters.size() > kMostParameters)
        throw Error("a kernel takes {} parameters, more than {}", kernel.parameters.size(), kMostParameters);
    }
  }

  [[nodiscard]] bool is_ready(void* stream) const override { return workspaces_.has(stream, bytes_); }
  void make_ready(void* stream) override { workspaces_.make(stream, bytes_); }

  [[nodiscard]] CallEnd call(const Argument* arguments, void* stream, std::string& error) const override {
    const CUresult result = in_any_context(driver_, device_, [&] { return launch_all(arguments, stream); });
    if (result != CUDA_SUCCESS) error = "cuLaunchKernelEx: " + driver_.describe(result);
    return end_of(result);
  }

 private:
  [[nodiscard]] CUresult launch_all(const Argument* arguments, void* stream) const {
    CUdeviceptr workspaces[kMostParameters];
    workspaces_.addresses(stream, bytes_.size(), workspaces);
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
  std::vector<std::uint64_t> bytes_;  // of the workspaces
  Workspaces& workspaces_;            // of the solution
};

class Kernels : public LoadedSolution {
 public:
  Kernels(const LoadRequest& request, const cuda::Driver& driver, std::int32_t device)
      : driver_(driver),
        device_(device),
        signature_(request.signature),
        symbols_(request.artifact.kernels),
        plan_(compile::parse_launch_plan(request.solution, request.definition)),
        workspaces_(driver, device) {
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
    return std::make_unique<KernelCall>(driver_, device_, signature_, std::move(kernels), resolved.workspaces,
                                        workspaces_);
  }

 private:
  const cuda::Driver& driver_;
  std::int32_t device_;
  CUdevice handle_ = 0;
  const arguments::Signature& signature_;
  std::vector<std::string> symbols_;
  compile::LaunchPlan plan_;
  CUmodule module_ = nullptr;
  Workspaces workspaces_;
};

}  // namespace

std::unique_ptr<LoadedSolution> load_kernels(const LoadRequest& request, const cuda::Driver& driver,
                                             std::int32_t device) {
  return std::make_unique<Kernels>(request, driver, device);
}

}  // namespace fib::apply
