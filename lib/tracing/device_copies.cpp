#include "tracing/device_copies.h"

#if FIB_CUDA
#include "tracing/cuda/copies.h"
#endif

namespace fib::tracing {

std::unique_ptr<DeviceCopies> make_device_copies([[maybe_unused]] std::uint64_t limit) {
#if FIB_CUDA
  return cuda::make_copies(&fib::cuda::Driver::open, limit);
#else
  return nullptr;
#endif
}

}  // namespace fib::tracing
