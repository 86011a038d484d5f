#include "apply/devices.h"

#include "device/cpu/hardware.h"
#include "tvm_ffi/abi.h"
#include "util/error.h"

#if FIB_CUDA
#include "cuda/devices.h"
#endif

namespace fib::apply {

Devices::Devices() : cpu_(device::cpu::model_name()) {}

namespace {

void expect_known(std::int32_t type) {
  if (type != tvm_ffi::kCpu && type != tvm_ffi::kCuda)
    throw Error("tensors lie on DLPack's device type {}; this library knows the CPU (1) and CUDA (2)", type);
}

}  // namespace

#if FIB_CUDA

Devices::Devices(std::unique_ptr<cuda::Driver> driver) : Devices() { driver_ = std::move(driver); }

const cuda::Driver& Devices::driver() {
  const std::lock_guard lock(mutex_);
  if (!driver_) {
    auto opened = std::make_unique<cuda::Driver>(cuda::Driver::open());
    opened->check(opened->init(0), "cuInit");
    driver_ = std::move(opened);
  }
  return *driver_;
}

std::string Devices::hardware(std::int32_t type, std::int32_t id) {
  expect_known(type);
  if (type == tvm_ffi::kCpu) return cpu_;
  const auto& functions = driver();
  const std::lock_guard lock(mutex_);
  if (const auto known = cuda_names_.find(id); known != cuda_names_.end()) return known->second;
  CUdevice device = 0;
  functions.check(functions.device_get(&device, id), "cuDeviceGet");
  char name[256] = {};
  functions.check(functions.device_name(name, sizeof name - 1, device), "cuDeviceGetName");
  return cuda_names_[id] = name;
}

std::string Devices::architecture(std::int32_t type, std::int32_t id) {
  expect_known(type);
  if (type == tvm_ffi::kCpu) return "";
  const auto& functions = driver();
  CUdevice device = 0;
  functions.check(functions.device_get(&device, id), "cuDeviceGet");
  int major = 0;
  int minor = 0;
  functions.check(functions.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
                  "cuDeviceGetAttribute");
  functions.check(functions.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
                  "cuDeviceGetAttribute");
  return cuda::architecture_of(major, minor);
}

bool Devices::is_captured(void* stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const auto& functions = driver();
  const CUresult result = functions.stream_is_capturing(static_cast<CUstream>(stream), &status);
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
    return true;  // the default stream, while another is captured
  functions.check(result, "cuStreamIsCapturing");
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

#else

std::string Devices::hardware(std::int32_t type, std::int32_t /*id*/) {
  expect_known(type);
  if (type == tvm_ffi::kCpu) return cpu_;
  throw Error("this libfib was built without CUDA support");
}

std::string Devices::architecture(std::int32_t type, std::int32_t id) {
  (void)hardware(type, id);
  return "";
}

bool Devices::is_captured(void* /*stream*/) { return false; }

#endif

}  // namespace fib::apply
