#pragma once

#include <map>
#include <mutex>

#include "ops/gpu/device.h"
#include "ops/gpu/gpu.h"

namespace fib::ops::gpu {

// Blocks of device memory; released ones are kept for the next tensor of about the same size, since the
// driver's allocation waits for the device. Any thread.
class DevicePool {
 public:
  explicit DevicePool(const Device& device) : device_(device) {}
  ~DevicePool();
  DevicePool(const DevicePool&) = delete;
  DevicePool& operator=(const DevicePool&) = delete;

  // No block when the device is short of memory, also without what is kept. Throws cuda::DriverError for
  // other failures.
  [[nodiscard]] DeviceBlock allocate(std::size_t bytes);
  void release(DeviceBlock block) noexcept;
  // Frees kept blocks until at most `bytes` are left.
  void trim(std::size_t bytes);

 private:
  [[nodiscard]] DeviceBlock take_kept(std::size_t bytes);
  [[nodiscard]] DeviceBlock from_driver(std::size_t bytes);
  void free_kept(std::size_t leave);

  const Device& device_;
  std::mutex mutex_;
  std::multimap<std::size_t, DeviceAddress> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace fib::ops::gpu
