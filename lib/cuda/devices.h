#pragma once

#include <string>
#include <vector>

namespace fib::cuda {

struct DeviceList {
  std::vector<std::string> names;  // in the driver's order, CUDA_VISIBLE_DEVICES respected
  std::string problem;             // why there is no list: no driver, or what it said
};

// Opens the CUDA driver (libcuda.so.1) and asks it for its devices. Initialises CUDA in the calling process,
// which takes a fraction of a second and cannot be undone: call it in a short-lived child. Never throws for a
// missing driver.
[[nodiscard]] DeviceList list_devices();

}  // namespace fib::cuda
