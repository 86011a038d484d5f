#pragma once

#include <string>
#include <vector>

#include "bench/environment.h"
#include "devices.h"

namespace fib::cmd {

// These devices with this program, the usual cache, and what this machine has of Python and TVM-FFI (takes as
// long as asking a Python interpreter does). Throws Error where no cache can be named.
[[nodiscard]] bench::Environment environment_of(std::vector<bench::LaneDevice> devices);

struct ChosenEnvironment {
  ChosenDevices chosen;
  bench::Environment environment;  // with these devices
};

// What choose_devices() and environment_of() give one after the other, but for the cache, which who only
// plans does without; here the driver and Python are asked at the same time (0.15 and 0.1 s). Throws what
// they throw.
[[nodiscard]] ChosenEnvironment choose_environment(const std::vector<std::string>& words);

}  // namespace fib::cmd
