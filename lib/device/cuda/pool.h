#pragma once

#include <cuda.h>

#include <cstdint>
#include <mutex>

#include "device/cuda/context.h"

namespace fib::device::cuda {

// Device memory in the order of a stream, for tensors that a solution asks its environment for in every call.
// What is given back is kept for the next call (cuMemPool_st with a release threshold without bound):
// frameworks do that too, and mapping memory anew takes longer than small kernels. Made at the first call.
// Any thread; the context must outlive it.
class Pool {
 public:
  explicit Pool(const Context& context) : context_(context) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // At least one byte on the context's stream, aligned to 256. Throws DriverError; Error where the driver has
  // no pools.
  [[nodiscard]] CUdeviceptr allocate(std::uint64_t bytes);

  // Gives back what allocate() has given, after the work that is queued now.
  void free(CUdeviceptr address) noexcept;

 private:
  const Context& context_;
  std::mutex mutex_;  // while it is made
  CUmemoryPool pool_ = nullptr;
};

}  // namespace fib::device::cuda
