#include "device/cuda/context.h"

#include "cuda/devices.h"

namespace fib::device::cuda {

Context::Context(const Driver& driver, const std::string& uuid, StreamKind stream) : driver_(driver) {
  check(driver_.init(0), "cuInit");
  int count = 0;
  check(driver_.device_count(&count), "cuDeviceGetCount");
  bool found = false;
  for (ordinal_ = 0; ordinal_ < count && !found; ++ordinal_) {
    check(driver_.device_get(&device_, ordinal_), "cuDeviceGet");
    found = fib::cuda::uuid_of(driver_, device_) == uuid;
  }
  if (!found) throw Error("no visible CUDA device has the UUID {}", uuid);
  --ordinal_;
  // Waiting by polling: a blocking wait costs tens of microseconds a call.
  check(driver_.primary_flags(device_, CU_CTX_SCHED_SPIN), "cuDevicePrimaryCtxSetFlags");
  check(driver_.primary_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  check(driver_.set_current(context_), "cuCtxSetCurrent");
  stream_ = CU_STREAM_LEGACY;
  if (stream == StreamKind::kOwn)
    check(driver_.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  multiprocessors_ = static_cast<unsigned>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  l2_bytes_ = static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
}

int Context::attribute(CUdevice_attribute which) const {
  int value = 0;
  check(driver_.device_attribute(&value, which, device_), "cuDeviceGetAttribute");
  return value;
}

}  // namespace fib::device::cuda
