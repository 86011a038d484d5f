#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/definition.h"
#include "model/solution.h"
#include "util/expression.h"

// spec.launch: how the kernels of a CUDA solution are launched, so that none of its code runs on the host.
//
//   "launch":    a list of launches, done in order on one stream; one object stands for a list of one
//     "kernel"         the kernel's name, or a name expression such as "rmsnorm<4096>"; default: the entry
//                      point's symbol
//     "grid", "block"  required; one to three expressions (a lone expression or number is a list of one)
//     "cluster"        one to three expressions; absent: no cluster
//     "shared_memory"  an expression: bytes of dynamic shared memory; default 0
//     "args"           names of inputs, outputs and workspaces, and expressions over axes; default: inputs,
//                      outputs, then variable axes
//     "cooperative"    true: all blocks are resident together, grid-wide synchronisation works
//   "workspace": name -> expression: bytes of device memory, 256-byte aligned, content undefined before every
//                call
//
// Expressions (util/expression.h) are over the definition's axes, constant and variable. A kernel's tensors
// are bare pointers; scalar inputs are passed by value as the C calling convention says; expressions are
// int64_t, or int32_t where the kernel's parameter has 4 bytes.
namespace fib::compile {

struct LaunchArgument {
  enum class Kind : std::uint8_t { kInput, kOutput, kWorkspace, kInteger } kind{};
  std::string text;       // as written
  std::size_t index = 0;  // into the definition's inputs or outputs, or the plan's workspaces
};

using Dimensions = std::array<util::Expression, 3>;

struct KernelLaunch {
  std::string kernel;  // the name expression
  Dimensions grid, block, cluster;
  bool clustered = false;
  bool cooperative = false;
  util::Expression shared_memory;
  std::vector<LaunchArgument> arguments;
};

struct LaunchPlan {
  std::vector<KernelLaunch> launches;
  std::vector<std::pair<std::string, util::Expression>> workspaces;
};

// Reads spec.launch and spec.workspace. Throws Error with one sentence naming the field: "launch[0].grid: …".
[[nodiscard]] LaunchPlan parse_launch_plan(const model::Solution& solution,
                                           const model::Definition& definition);

// The plan with numbers for one workload.
struct ResolvedArgument {
  LaunchArgument::Kind kind{};
  std::int64_t value = 0;  // the index, or for kInteger the number itself
};

struct ResolvedLaunch {
  std::string kernel;                                       // for messages
  std::string symbol;                                       // the kernel's name in the compiled module
  std::array<std::uint32_t, 3> grid{}, block{}, cluster{};  // cluster: 0 0 0 for none
  std::uint32_t shared_memory = 0;                          // bytes
  bool cooperative = false;
  std::vector<ResolvedArgument> arguments;
};

struct ResolvedPlan {
  std::vector<ResolvedLaunch> launches;
  std::vector<std::uint64_t> workspaces;  // bytes of each
};

// `symbols` are the compiled kernels' names, one a launch. Throws Error with one sentence when a size is
// outside of what CUDA allows (CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability").
[[nodiscard]] ResolvedPlan resolve(const LaunchPlan& plan, const std::vector<std::string>& symbols,
                                   const model::AxisValues& axes);

}  // namespace fib::compile
