#include "device/cuda/pool.h"

#include <algorithm>

namespace fib::device::cuda {

Pool::~Pool() {
  if (pool_ != nullptr) (void)context_.driver().pool_destroy(pool_);
}

CUdeviceptr Pool::allocate(std::uint64_t bytes) {
  const auto& driver = context_.driver();
  if (driver.pool_create == nullptr) throw Error("the CUDA driver has no pools of memory");
  if (const std::lock_guard lock(mutex_); pool_ == nullptr) {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = context_.device();
    context_.check(driver.pool_create(&pool_, &properties), "cuMemPoolCreate");
    cuuint64_t threshold = UINT64_MAX;
    context_.check(driver.pool_set(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
                   "cuMemPoolSetAttribute");
  }
  CUdeviceptr address = 0;
  context_.check(driver.pool_allocate(&address, std::max<std::uint64_t>(bytes, 1), pool_, context_.stream()),
                 "cuMemAllocFromPoolAsync");
  return address;
}

void Pool::free(CUdeviceptr address) noexcept {
  (void)context_.driver().free_async(address, context_.stream());
}

}  // namespace fib::device::cuda
