#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "cuda/current_context.h"
#include "cuda/driver.h"

namespace fib::tracing::cuda {

using fib::cuda::CurrentContext;
using fib::cuda::Driver;

// What copies of one context need: memory, and a way to the host beside the engine's streams.
class Lane {
 public:
  // Of the current context. Its pool keeps at most `keep` bytes of what was freed. Throws DriverError.
  Lane(const Driver& driver, CUcontext context, CUdevice device, std::uint64_t keep);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  [[nodiscard]] const Driver& driver() const { return driver_; }
  [[nodiscard]] CUcontext context() const { return context_; }
  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] CUmemoryPool pool() const { return pool_; }

  // Copies to the host what lies at `from` once `ready` has happened, and waits for it. The context has to be
  // current. Throws DriverError. Any thread but the engine's.
  void download(std::byte* to, CUdeviceptr from, std::uint64_t bytes, CUevent ready);

  // Gives memory of the pool back, once `ready` has happened; does not wait. The context has to be current.
  void free(CUdeviceptr address, CUevent ready) noexcept;

 private:
  void make(std::uint64_t keep);
  void release() noexcept;

  const Driver& driver_;
  CUcontext context_;
  CUdevice device_;
  CUmemoryPool pool_ = nullptr;
  CUstream stream_ = nullptr;
  std::mutex mutex_;             // while the buffer is used
  std::byte* buffer_ = nullptr;  // page-locked; made by the first download
};

}  // namespace fib::tracing::cuda
