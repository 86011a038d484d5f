#pragma once

#include <cstdint>
#include <string>

#include "bench/occupancy.h"
#include "model/solution.h"

namespace fib::bench {

// The device of a lane: what its evaluations run on.
struct LaneDevice {
  model::DeviceKind kind = model::DeviceKind::cpu;
  std::string name;                          // for traces and people: "NVIDIA H200"
  std::string uuid;                          // cuda
  std::string architecture;                  // cuda: "sm_90a"
  MultiprocessorLimits multiprocessor = {};  // cuda
  std::uint64_t memory_bytes = 0;            // cuda
  std::string node = {};                     // cuda: "nvidia0" (cuda/devices.h); empty: not known
  [[nodiscard]] bool is_cuda() const { return kind == model::DeviceKind::cuda; }
};

}  // namespace fib::bench
