#include "ops/gpu/device.h"

#include <array>

#include "cuda/devices.h"

namespace fib::ops::gpu {
namespace {

CUdevice find_device(const cuda::Driver& driver, const std::string& uuid) {
  int count = 0;
  driver.check(driver.device_count(&count), "cuDeviceGetCount");
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    driver.check(driver.device_get(&device, i), "cuDeviceGet");
    if (cuda::uuid_of(driver, device) == uuid) return device;
  }
  throw Error("no visible CUDA device has the UUID {}", uuid);
}

int attribute(const Device& device, CUdevice_attribute which) {
  int value = 0;
  device.check(device.driver.device_attribute(&value, which, device.ordinal), "cuDeviceGetAttribute");
  return value;
}

}  // namespace

Device Device::open(const cuda::Driver& driver, const std::string& uuid) {
  Device device;
  device.driver = driver;
  device.check(driver.init(0), "cuInit");
  device.ordinal = find_device(driver, uuid);
  std::array<char, 256> name{};
  device.check(driver.device_name(name.data(), static_cast<int>(name.size()), device.ordinal),
               "cuDeviceGetName");
  device.name = name.data();
  device.architecture =
      cuda::architecture_of(attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                            attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  device.multiprocessors = static_cast<unsigned>(attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  // Waiting by polling: a blocking wait costs tens of microseconds, and references wait for single numbers.
  device.check(driver.primary_flags(device.ordinal, CU_CTX_SCHED_SPIN), "cuDevicePrimaryCtxSetFlags");
  device.check(driver.primary_retain(&device.context, device.ordinal), "cuDevicePrimaryCtxRetain");
  device.enter();
  device.check(driver.stream_create(&device.stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return device;
}

}  // namespace fib::ops::gpu
