#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

#include "compile/launch_plan.h"
#include "cuda/driver.h"

// Launches of spec.launch, ready to go: with the kernels of a loaded module, for one workload's sizes.
namespace fib::compile {

// An input or output, as far as a kernel's parameters ask.
struct LaunchTensor {
  std::string name;
  std::size_t scalar_bytes = 0;  // in which its value is passed; 0: a tensor, passed as a pointer
  std::string dtype;             // of a scalar, for messages
};

// What one parameter of a kernel gets.
struct LaunchParameter {
  LaunchArgument::Kind kind{};
  std::size_t index = 0;   // into inputs, outputs or workspaces
  bool scalar = false;     // an input that is passed by value
  std::int64_t value = 0;  // kInteger: the number itself
};

// One launch. The attributes of `config` lie in `attributes`: it may be moved, and not copied.
struct KernelReady {
  KernelReady() = default;
  KernelReady(const KernelReady&) = delete;
  KernelReady& operator=(const KernelReady&) = delete;
  KernelReady(KernelReady&&) = default;
  KernelReady& operator=(KernelReady&&) = default;
  ~KernelReady() = default;

  CUfunction function = nullptr;
  CUlaunchConfig config{};  // its stream is for the caller to set
  std::vector<CUlaunchAttribute> attributes;
  std::vector<LaunchParameter> parameters;
};

// The launches of `plan`, in order, with the kernels of `module`, which must outlive them; the module's
// context is current. Compares the plan's arguments with what the compiled kernels take, as far as the driver
// tells, and asks for more shared memory and larger clusters where that is needed. Throws Error with a
// sentence that begins with the kernel's name.
[[nodiscard]] std::vector<KernelReady> ready_kernels(const cuda::Driver& driver, CUdevice device,
                                                     CUmodule module, const ResolvedPlan& plan,
                                                     const std::vector<LaunchTensor>& inputs,
                                                     const std::vector<LaunchTensor>& outputs);

}  // namespace fib::compile
