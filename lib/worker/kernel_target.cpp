#include <algorithm>
#include <memory>

#include "device/cuda/context.h"
#include "device/cuda/memory.h"
#include "util/error.h"
#include "worker/cuda_stage.h"
#include "worker/scalars.h"

namespace fib::worker {
namespace {

using compile::LaunchArgument;
using device::cuda::Context;
using device::cuda::DeviceMemory;

constexpr std::uint32_t kUsualSharedMemory = 48 * 1024;  // more has to be asked for
constexpr unsigned kPortableCluster = 8;                 // larger clusters have to be asked for

// What one parameter of a kernel gets.
struct Parameter {
  ArgumentValue value{};
  std::size_t bytes = 8;
  std::string what;  // for messages
};

// One launch of the plan, ready to go.
struct Launch {
  CUfunction function = nullptr;
  CUlaunchConfig config{};
  std::vector<CUlaunchAttribute> attributes;
  std::vector<Parameter> parameters;
  std::vector<void*> pointers;                               // to the parameters' values
  std::vector<std::pair<std::size_t, std::size_t>> scalars;  // parameter, input
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
    for (const auto& planned : workload.plan.launches) {
      try {
        launches_.push_back(make_launch(planned));
      } catch (const Error& error) {
        throw Error("launch of {}: {}", planned.kernel, error.what());
      }
    }
  }

  void prepare() override {
    for (auto& launch : launches_) {
      for (const auto& [parameter, input] : launch.scalars) {
        load_scalar(layout_.inputs[input].dtype, buffers_.scalars + 8 * input,
                    launch.parameters[parameter].value);
      }
    }
  }

  void call() override {
    const auto& driver = context_.driver();
    for (const auto& launch : launches_) {
      context_.check(driver.launch_ex(&launch.config, launch.function,
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
  Launch make_launch(const compile::ResolvedLaunch& planned) {
    Launch launch;
    context_.check(context_.driver().module_function(&launch.function, module_, planned.symbol.c_str()),
                   "cuModuleGetFunction");
    for (const auto& argument : planned.arguments) {
      if (argument.kind == LaunchArgument::Kind::kInput && layout_.inputs.at(index(argument)).scalar) {
        launch.scalars.emplace_back(launch.parameters.size(), index(argument));
      }
      launch.parameters.push_back(parameter_for(argument));
    }
    fit_parameters(launch);
    for (auto& parameter : launch.parameters) launch.pointers.push_back(&parameter.value);
    configure(launch, planned);
    return launch;
  }

  static std::size_t index(const compile::ResolvedArgument& argument) {
    return static_cast<std::size_t>(argument.value);
  }

  Parameter parameter_for(const compile::ResolvedArgument& argument) {
    Parameter parameter;
    const auto pointer = [&](const std::byte* address, const std::string& what) {
      parameter.value.i64 = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
      parameter.what = what;
    };
    switch (argument.kind) {
      case LaunchArgument::Kind::kInput: {
        const auto& slot = layout_.inputs.at(index(argument));
        if (slot.scalar) {
          parameter.bytes = scalar_bytes(slot.dtype);
          parameter.what = fmt::format("scalar input \"{}\" ({})", slot.name, tensor::name_of(slot.dtype));
        } else {
          pointer(buffers_.inputs + slot.offset, fmt::format("pointer to \"{}\"", slot.name));
        }
        break;
      }
      case LaunchArgument::Kind::kOutput: {
        const auto& slot = layout_.outputs.at(index(argument));
        pointer(buffers_.outputs + slot.offset, fmt::format("pointer to \"{}\"", slot.name));
        break;
      }
      case LaunchArgument::Kind::kWorkspace:
        parameter.value.i64 = static_cast<std::int64_t>(workspaces_.at(index(argument)).data());
        parameter.what = "pointer to a workspace";
        break;
      case LaunchArgument::Kind::kInteger:
        parameter.value.i64 = argument.value;
        parameter.what = fmt::format("integer {}", argument.value);
    }
    return parameter;
  }

  // Compares the plan's arguments with what the compiled kernel takes; integers shrink to 4 bytes where it
  // wants that.
  void fit_parameters(Launch& launch) const {
    const auto& driver = context_.driver();
    if (driver.parameter_info == nullptr) return;  // before CUDA 12.4 the driver does not tell
    std::size_t count = 0;
    for (std::size_t offset = 0, bytes = 0;
         driver.parameter_info(launch.function, count, &offset, &bytes) == CUDA_SUCCESS; ++count) {
      if (count < launch.parameters.size()) fit(launch.parameters[count], count, bytes);
    }
    if (count != launch.parameters.size()) {
      throw Error("the kernel takes {} parameters, the launch plan passes {}", count,
                  launch.parameters.size());
    }
  }

  static void fit(Parameter& parameter, std::size_t number, std::size_t bytes) {
    const bool shrinks = parameter.what.starts_with("integer") && bytes == 4 &&
                         parameter.value.i64 == static_cast<std::int32_t>(parameter.value.i64);
    if (shrinks) return;  // the low half is what it reads
    if (bytes != parameter.bytes) {
      throw Error("parameter {} of the kernel has {} bytes, the launch plan passes the {} in {}", number + 1,
                  bytes, parameter.what, parameter.bytes);
    }
  }

  void configure(Launch& launch, const compile::ResolvedLaunch& planned) const {
    const auto& driver = context_.driver();
    auto& config = launch.config;
    config.gridDimX = planned.grid[0];
    config.gridDimY = planned.grid[1];
    config.gridDimZ = planned.grid[2];
    config.blockDimX = planned.block[0];
    config.blockDimY = planned.block[1];
    config.blockDimZ = planned.block[2];
    config.sharedMemBytes = planned.shared_memory;
    config.hStream = static_cast<CUstream>(buffers_.stream);
    if (planned.shared_memory > kUsualSharedMemory)
      allow_shared_memory(launch.function, planned.shared_memory);
    if (planned.cooperative) {
      CUlaunchAttribute attribute{};
      attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      attribute.value.cooperative = 1;
      launch.attributes.push_back(attribute);
    }
    const auto& cluster = planned.cluster;
    if (cluster[0] != 0) {
      CUlaunchAttribute attribute{};
      attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attribute.value.clusterDim = {cluster[0], cluster[1], cluster[2]};
      launch.attributes.push_back(attribute);
      if (cluster[0] * cluster[1] * cluster[2] > kPortableCluster) {
        context_.check(driver.set_function_attribute(launch.function,
                                                     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                       "cuFuncSetAttribute");
      }
    }
    config.attrs = launch.attributes.data();
    config.numAttrs = static_cast<unsigned>(launch.attributes.size());
  }

  void allow_shared_memory(CUfunction function, std::uint32_t bytes) const {
    const int most = context_.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (bytes > static_cast<std::uint32_t>(most)) {
      throw Error("it asks for {} bytes of shared memory; a block of this device has at most {}", bytes,
                  most);
    }
    context_.check(context_.driver().set_function_attribute(
                       function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)),
                   "cuFuncSetAttribute");
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
