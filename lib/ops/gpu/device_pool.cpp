#include "ops/gpu/device_pool.h"

#include <bit>

namespace fib::ops::gpu {
namespace {

constexpr std::size_t kSmallest = 512;
// From here on the driver gives whole pages of this size.
constexpr std::size_t kPage = std::size_t{2} << 20U;
// Kept while a run goes on. Chains of operations on large tensors need three or four of one size.
constexpr std::size_t kKeptAtMost = std::size_t{32} << 30U;

// Sizes of few kinds, so that a block fits the next tensor: powers of two, then pages.
std::size_t rounded(std::size_t bytes) {
  if (bytes <= kSmallest) return kSmallest;
  if (bytes <= kPage) return std::bit_ceil(bytes);
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

DevicePool::~DevicePool() {
  // A device that is lost, or a driver that is shutting down, has no memory to give back.
  if (device_.driver.set_current(device_.context) != CUDA_SUCCESS) return;
  for (const auto& [size, address] : kept_) (void)device_.driver.free(address);
}

DeviceBlock DevicePool::take_kept(std::size_t bytes) {
  const auto found = kept_.lower_bound(bytes);
  if (found == kept_.end() || found->first > bytes + bytes / 4) return {};
  const DeviceBlock block{found->second, found->first};
  kept_bytes_ -= block.capacity;
  kept_.erase(found);
  return block;
}

DeviceBlock DevicePool::from_driver(std::size_t bytes) {
  CUdeviceptr address = 0;
  const CUresult result = device_.driver.allocate(&address, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return {};
  device_.check(result, "cuMemAlloc");
  return {address, bytes};
}

DeviceBlock DevicePool::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::size_t size = rounded(bytes);
  DeviceBlock block = take_kept(size);
  if (block.address != 0) return block;
  device_.enter();
  if (kept_bytes_ > kKeptAtMost) free_kept(kKeptAtMost / 2);
  block = from_driver(size);
  if (block.address != 0 || kept_.empty()) return block;
  free_kept(0);
  return from_driver(size);
}

void DevicePool::release(DeviceBlock block) noexcept {
  const std::lock_guard lock(mutex_);
  kept_.emplace(block.capacity, block.address);
  kept_bytes_ += block.capacity;
}

// The largest first. The driver waits for work that still uses them.
void DevicePool::free_kept(std::size_t leave) {
  while (kept_bytes_ > leave) {
    const auto largest = std::prev(kept_.end());
    device_.check(device_.driver.free(largest->second), "cuMemFree");
    kept_bytes_ -= largest->first;
    kept_.erase(largest);
  }
}

void DevicePool::trim(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (kept_bytes_ <= bytes) return;
  device_.enter();
  free_kept(bytes);
}

}  // namespace fib::ops::gpu
