#include "tracing/cuda/lane.h"

#include <algorithm>
#include <cstring>

namespace fib::tracing::cuda {
namespace {

constexpr std::uint64_t kBufferBytes = std::uint64_t{1} << 20U;

}  // namespace

Lane::Lane(const Driver& driver, CUcontext context, CUdevice device, std::uint64_t keep)
    : driver_(driver), context_(context), device_(device) {
  try {
    make(keep);
  } catch (...) {
    release();
    throw;
  }
}

void Lane::make(std::uint64_t keep) {
  if (driver_.pool_create == nullptr) throw Error("the CUDA driver has no pools of memory");
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device_;
  driver_.check(driver_.pool_create(&pool_, &properties), "cuMemPoolCreate");
  cuuint64_t threshold = keep;
  driver_.check(driver_.pool_set(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
                "cuMemPoolSetAttribute");
  driver_.check(driver_.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

void Lane::release() noexcept {
  if (stream_ != nullptr) (void)driver_.stream_destroy(stream_);
  if (pool_ != nullptr) (void)driver_.pool_destroy(pool_);
  if (buffer_ != nullptr) (void)driver_.host_free(buffer_);
}

Lane::~Lane() {
  try {
    const CurrentContext current(driver_, context_);
    release();
  } catch (const Error&) {  // the context, or the driver itself, is gone, and all of this with it
    return;
  }
}

void Lane::download(std::byte* to, CUdeviceptr from, std::uint64_t bytes, CUevent ready) {
  const std::lock_guard lock(mutex_);
  if (buffer_ == nullptr) {
    void* buffer = nullptr;
    driver_.check(driver_.host_allocate(&buffer, kBufferBytes, 0), "cuMemHostAlloc");
    buffer_ = static_cast<std::byte*>(buffer);
  }
  driver_.check(driver_.event_synchronize(ready), "cuEventSynchronize");
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t part = std::min(kBufferBytes, bytes - done);
    driver_.check(driver_.copy_to_host(buffer_, from + done, part, stream_), "cuMemcpyDtoHAsync");
    driver_.check(driver_.stream_synchronize(stream_), "cuStreamSynchronize");
    std::memcpy(to + done, buffer_, part);
    done += part;
  }
}

void Lane::free(CUdeviceptr address, CUevent ready) noexcept {
  if (driver_.stream_wait_event(stream_, ready, 0) == CUDA_SUCCESS)
    (void)driver_.free_async(address, stream_);
}

}  // namespace fib::tracing::cuda
