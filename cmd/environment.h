#pragma once

#include <vector>

#include "bench/environment.h"

namespace fib::cmd {

// These devices with this program, the usual cache, and what this machine has of Python and TVM-FFI (takes as
// long as asking a Python interpreter does). Throws Error where no cache can be named.
[[nodiscard]] bench::Environment environment_of(std::vector<bench::LaneDevice> devices);

// The same without a cache, for who plans and runs nothing.
[[nodiscard]] bench::Environment planning_environment(std::vector<bench::LaneDevice> devices);

}  // namespace fib::cmd
