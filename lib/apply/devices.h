#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#if FIB_CUDA
#include "cuda/driver.h"
#endif

namespace fib::apply {

// The devices that a program's tensors lie on. Any thread.
class Devices {
 public:
  Devices();
  // What traces call the device. Throws Error in one sentence where it cannot be used: CUDA without a driver,
  // or in a libfib that was built without CUDA support.
  [[nodiscard]] std::string hardware(std::int32_t type, std::int32_t id);

  // CUDA: what kernels are compiled for, "sm_90a". CPU: "". Throws Error as above.
  [[nodiscard]] std::string architecture(std::int32_t type, std::int32_t id);

  // Whether the CUDA stream is being captured into a graph.
  [[nodiscard]] bool is_captured(void* stream);

#if FIB_CUDA
  [[nodiscard]] const cuda::Driver& driver();  // throws Error without one

  // With another table of functions than the driver's own, which is opened when it is needed.
  explicit Devices(std::unique_ptr<cuda::Driver> driver);
#endif

 private:
  std::string cpu_;
  std::mutex mutex_;
  std::map<std::int32_t, std::string> cuda_names_;
#if FIB_CUDA
  std::unique_ptr<cuda::Driver> driver_;
#endif
};

}  // namespace fib::apply
