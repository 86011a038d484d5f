#include <memory>

#include "arguments/call_value.h"
#include "compile/kernel_launch.h"
#include "device/cuda/context.h"
#include "device/cuda/memory.h"
#include "util/error.h"
#include "worker/cuda_stage.h"

namespace fib::worker {
namespace {

using arguments::ArgumentValue;
using compile::LaunchArgument;
using device::cuda::Context;
using device::cuda::DeviceMemory;

std::vector<compile::LaunchTensor> launch_tensors(const std::vector<eval::Slot>& slots) {
  std::vector<compile::LaunchTensor> tensors;
  for (const auto& slot : slots)
    tensors.push_back({slot.name, slot.scalar ? arguments::scalar_bytes(slot.dtype) : 0,
                       std::string(tensor::name_of(slot.dtype))});
  return tensors;
}

// One launch of the plan with its parameters' values.
struct Launch {
  compile::KernelReady kernel;
  std::vector<ArgumentValue> values;
  std::vector<void*> pointers;  // to the values
};

class KernelTarget : public Target {
 public:
  KernelTarget(const Context& context, const std::string& cubin) : context_(context) {
    context.check(context.driver().module_load(&module_, cubin.data()), "cuModuleLoadData");
  }

  void open(const Open& workload, const Buffers& buffers) override {
    layout_ = workload.layout;
    buffers_ = buffers;
    workspaces_.clear();
    for (const auto bytes : workload.plan.workspaces) workspaces_.emplace_back(context_, bytes);
    launches_.clear();
    auto kernels = compile::ready_kernels(context_.driver(), context_.device(), module_, workload.plan,
                                          launch_tensors(layout_.inputs), launch_tensors(layout_.outputs));
    for (auto& kernel : kernels) launches_.push_back(with_values(std::move(kernel)));
  }

  void prepare() override {
    for (auto& launch : launches_) {
      for (std::size_t i = 0; i < launch.values.size(); ++i) {
        const auto& parameter = launch.kernel.parameters[i];
        if (parameter.scalar)
          arguments::load_scalar(layout_.inputs[parameter.index].dtype,
                                 buffers_.scalars + 8 * parameter.index, launch.values[i]);
      }
    }
  }

  void call() override {
    const auto& driver = context_.driver();
    for (const auto& launch : launches_) {
      context_.check(driver.launch_ex(&launch.kernel.config, launch.kernel.function,
                                      const_cast<void**>(launch.pointers.data()), nullptr),
                     "cuLaunchKernelEx");
    }
  }

  std::vector<eval::OutputClaim> collect() override {
    std::vector<eval::OutputClaim> claims;
    for (const auto& slot : layout_.outputs) claims.push_back({slot.dtype, slot.shape});
    return claims;
  }

 private:
  [[nodiscard]] Launch with_values(compile::KernelReady kernel) {
    Launch launch{std::move(kernel), {}, {}};
    launch.kernel.config.hStream = static_cast<CUstream>(buffers_.stream);
    for (const auto& parameter : launch.kernel.parameters) {
      ArgumentValue value{};
      if (parameter.kind == LaunchArgument::Kind::kInput && !parameter.scalar)
        value.pointer = buffers_.inputs + layout_.inputs.at(parameter.index).offset;
      if (parameter.kind == LaunchArgument::Kind::kOutput)
        value.pointer = buffers_.outputs + layout_.outputs.at(parameter.index).offset;
      if (parameter.kind == LaunchArgument::Kind::kWorkspace)
        value.i64 = static_cast<std::int64_t>(workspaces_.at(parameter.index).data());
      if (parameter.kind == LaunchArgument::Kind::kInteger) value.i64 = parameter.value;
      launch.values.push_back(value);
    }
    for (auto& value : launch.values) launch.pointers.push_back(&value);
    return launch;
  }

  const Context& context_;
  CUmodule module_ = nullptr;
  eval::Layout layout_;
  Buffers buffers_;
  std::vector<DeviceMemory> workspaces_;
  std::vector<Launch> launches_;
};

}  // namespace

std::unique_ptr<Target> make_kernel_target(Stage& stage, const std::string& cubin) {
  return std::make_unique<KernelTarget>(dynamic_cast<CudaStage&>(stage).context(), cubin);
}

}  // namespace fib::worker
