#pragma once

#include <cuda.h>

#include <string>

#include "cuda/driver.h"

namespace fib::ops::gpu {

// The driver, one device's primary context, and the stream that all work is queued on. Plain data, made once.
struct Device {
  cuda::Driver driver;
  CUdevice ordinal = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  std::string name;          // "NVIDIA H200"
  std::string architecture;  // "sm_90a"
  unsigned multiprocessors = 0;

  // Throws Error when no visible device has the UUID or CUDA cannot start.
  [[nodiscard]] static Device open(const cuda::Driver& driver, const std::string& uuid);

  void check(CUresult result, const char* function) const { driver.check(result, function); }
  // Makes the context the calling thread's.
  void enter() const { check(driver.set_current(context), "cuCtxSetCurrent"); }
  // Waits for all that was queued. Throws cuda::DriverError when any of it failed.
  void wait() const { check(driver.stream_synchronize(stream), "cuStreamSynchronize"); }
};

}  // namespace fib::ops::gpu
