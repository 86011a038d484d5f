#include "compile/kernel_launch.h"

#include "cuda/launch_words.h"
#include "util/error.h"

namespace fib::compile {
namespace {

constexpr std::uint32_t kUsualSharedMemory = 48 * 1024;  // more has to be asked for
constexpr unsigned kPortableCluster = 8;                 // larger clusters have to be asked for
constexpr std::size_t kPointerBytes = 8;

// What a parameter is, for messages, and in how many bytes the plan passes it.
struct Passed {
  std::string what;
  std::size_t bytes = kPointerBytes;
};

class Preparation {
 public:
  Preparation(const cuda::Driver& driver, CUdevice device, const std::vector<LaunchTensor>& inputs,
              const std::vector<LaunchTensor>& outputs)
      : driver_(driver), device_(device), inputs_(inputs), outputs_(outputs) {}

  [[nodiscard]] KernelReady prepare(CUmodule module, const ResolvedLaunch& planned) const {
    KernelReady launch;
    driver_.check(driver_.module_function(&launch.function, module, planned.symbol.c_str()),
                  "cuModuleGetFunction");
    for (const auto& argument : planned.arguments) launch.parameters.push_back(parameter_for(argument));
    fit_parameters(launch);
    configure(launch, planned);
    return launch;
  }

 private:
  [[nodiscard]] LaunchParameter parameter_for(const ResolvedArgument& argument) const {
    LaunchParameter parameter{argument.kind};
    if (argument.kind == LaunchArgument::Kind::kInteger) {
      parameter.value = argument.value;
    } else {
      parameter.index = static_cast<std::size_t>(argument.value);
    }
    parameter.scalar =
        argument.kind == LaunchArgument::Kind::kInput && inputs_.at(parameter.index).scalar_bytes > 0;
    return parameter;
  }

  [[nodiscard]] Passed passed(const LaunchParameter& parameter) const {
    switch (parameter.kind) {
      case LaunchArgument::Kind::kInput: {
        const auto& input = inputs_.at(parameter.index);
        if (parameter.scalar)
          return {fmt::format("scalar input \"{}\" ({})", input.name, input.dtype), input.scalar_bytes};
        return {fmt::format("pointer to \"{}\"", input.name)};
      }
      case LaunchArgument::Kind::kOutput:
        return {fmt::format("pointer to \"{}\"", outputs_.at(parameter.index).name)};
      case LaunchArgument::Kind::kWorkspace:
        return {"pointer to a workspace"};
      case LaunchArgument::Kind::kInteger:
        return {fmt::format("integer {}", parameter.value)};
    }
    return {};
  }

  void fit_parameters(const KernelReady& launch) const {
    if (driver_.parameter_info == nullptr) return;  // before CUDA 12.4 the driver does not tell
    std::size_t count = 0;
    for (std::size_t offset = 0, bytes = 0;
         driver_.parameter_info(launch.function, count, &offset, &bytes) == CUDA_SUCCESS; ++count) {
      if (count < launch.parameters.size()) fit(launch.parameters[count], count, bytes);
    }
    if (count != launch.parameters.size())
      throw Error("the kernel takes {} parameters, the launch plan passes {}", count,
                  launch.parameters.size());
  }

  // Integers shrink to 4 bytes where the kernel wants that: the low half is what it reads.
  void fit(const LaunchParameter& parameter, std::size_t number, std::size_t bytes) const {
    const bool shrinks = parameter.kind == LaunchArgument::Kind::kInteger && bytes == 4 &&
                         parameter.value == static_cast<std::int32_t>(parameter.value);
    const auto [what, own_bytes] = passed(parameter);
    if (shrinks || bytes == own_bytes) return;
    throw Error("parameter {} of the kernel has {} bytes, the launch plan passes the {} in {}", number + 1,
                bytes, what, own_bytes);
  }

  void configure(KernelReady& launch, const ResolvedLaunch& planned) const {
    auto& config = launch.config;
    config.gridDimX = planned.grid[0];
    config.gridDimY = planned.grid[1];
    config.gridDimZ = planned.grid[2];
    config.blockDimX = planned.block[0];
    config.blockDimY = planned.block[1];
    config.blockDimZ = planned.block[2];
    config.sharedMemBytes = planned.shared_memory;
    expect_room(launch.function, std::uint64_t{planned.block[0]} * planned.block[1] * planned.block[2]);
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
        driver_.check(driver_.set_function_attribute(launch.function,
                                                     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                      "cuFuncSetAttribute");
      }
    }
    config.attrs = launch.attributes.data();
    config.numAttrs = static_cast<unsigned>(launch.attributes.size());
  }

  void expect_room(CUfunction function, std::uint64_t threads) const {
    int most = 0;
    driver_.check(driver_.function_attribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
                  "cuFuncGetAttribute");
    if (threads > static_cast<std::uint64_t>(most))
      throw Error("{}", cuda::asks_for_more_threads(threads, static_cast<std::uint64_t>(most)));
  }

  void allow_shared_memory(CUfunction function, std::uint32_t bytes) const {
    int most = 0;
    driver_.check(
        driver_.device_attribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device_),
        "cuDeviceGetAttribute");
    if (bytes > static_cast<std::uint32_t>(most))
      throw Error("{}", cuda::asks_for_more_shared_memory(bytes, static_cast<std::uint64_t>(most)));
    driver_.check(driver_.set_function_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                 static_cast<int>(bytes)),
                  "cuFuncSetAttribute");
  }

  const cuda::Driver& driver_;
  CUdevice device_;
  const std::vector<LaunchTensor>& inputs_;
  const std::vector<LaunchTensor>& outputs_;
};

}  // namespace

std::vector<KernelReady> ready_kernels(const cuda::Driver& driver, CUdevice device, CUmodule module,
                                       const ResolvedPlan& plan, const std::vector<LaunchTensor>& inputs,
                                       const std::vector<LaunchTensor>& outputs) {
  const Preparation preparation(driver, device, inputs, outputs);
  std::vector<KernelReady> launches;
  for (const auto& planned : plan.launches) {
    try {
      launches.push_back(preparation.prepare(module, planned));
    } catch (const Error& error) {
      throw Error("launch of {}: {}", planned.kernel, error.what());
    }
  }
  return launches;
}

}  // namespace fib::compile
