#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <map>

#include "fib_torch/indexing.h"

// Streams, devices and errors of CUDA. The current stream is the default one, in whose order memory is given
// and taken back; nothing sets another.
namespace c10::cuda {

inline void c10_cuda_check_implementation(std::int32_t error, const char* /*file*/, const char* /*function*/,
                                          std::uint32_t /*line*/, bool /*assertions*/) {
  const auto code = static_cast<cudaError_t>(error);
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  c10::detail::raise<CUDAError>(c10::str("CUDA error: ", cudaGetErrorString(code)));
}

}  // namespace c10::cuda

#define C10_CUDA_CHECK(expression)                                                                           \
  do {                                                                                                       \
    const cudaError_t fib_torch_error = expression;                                                          \
    c10::cuda::c10_cuda_check_implementation(static_cast<std::int32_t>(fib_torch_error), __FILE__, __func__, \
                                             static_cast<std::uint32_t>(__LINE__), true);                    \
  } while (0)
#define C10_CUDA_CHECK_WARN(expression)                                  \
  do {                                                                   \
    const cudaError_t fib_torch_error = expression;                      \
    if (fib_torch_error != cudaSuccess) {                                \
      static_cast<void>(cudaGetLastError());                             \
      TORCH_WARN("CUDA warning: ", cudaGetErrorString(fib_torch_error)); \
    }                                                                    \
  } while (0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
#define TORCH_CUDABLAS_CHECK(expression)                                                                   \
  do {                                                                                                     \
    const cublasStatus_t fib_torch_status = expression;                                                    \
    TORCH_CHECK(fib_torch_status == CUBLAS_STATUS_SUCCESS,                                                 \
                "CUDA error: ", cublasGetStatusName(fib_torch_status), " when calling `" #expression "`"); \
  } while (0)

namespace c10::cuda {

inline DeviceIndex device_count() noexcept {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? static_cast<DeviceIndex>(count) : 0;
}
inline DeviceIndex current_device() {
  int device = 0;
  C10_CUDA_CHECK(cudaGetDevice(&device));
  return static_cast<DeviceIndex>(device);
}
inline void set_device(DeviceIndex device, bool /*force*/ = false) { C10_CUDA_CHECK(cudaSetDevice(device)); }
inline void device_synchronize() { C10_CUDA_CHECK(cudaDeviceSynchronize()); }

class CUDAStream {
 public:
  CUDAStream(cudaStream_t stream, DeviceIndex device) : stream_(stream), device_(device) {}
  operator cudaStream_t() const { return stream_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  [[nodiscard]] DeviceIndex device_index() const { return device_; }
  [[nodiscard]] Device device() const { return Device(kCUDA, device_); }
  [[nodiscard]] DeviceType device_type() const { return kCUDA; }
  void synchronize() const { C10_CUDA_CHECK(cudaStreamSynchronize(stream_)); }
  [[nodiscard]] bool query() const {
    const cudaError_t state = cudaStreamQuery(stream_);
    if (state == cudaErrorNotReady) return false;
    C10_CUDA_CHECK(state);
    return true;
  }
  friend bool operator==(const CUDAStream& a, const CUDAStream& b) { return a.stream_ == b.stream_; }
  friend bool operator!=(const CUDAStream& a, const CUDAStream& b) { return a.stream_ != b.stream_; }

 private:
  cudaStream_t stream_;
  DeviceIndex device_;
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) {
  if (device < 0) device = current_device();
  void* stream = TVMFFIEnvGetStream(fib::tvm_ffi::kCuda, device);
  return {static_cast<cudaStream_t>(stream), device};
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex device = -1) {
  return {nullptr, device < 0 ? current_device() : device};
}

inline CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) { return {stream, device}; }

// While it lives the device is the current one.
class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex device) : CUDAGuard(Device(kCUDA, device)) {}
  explicit CUDAGuard(Device device) : before_(c10::cuda::current_device()), now_(before_) {
    TORCH_CHECK(device.is_cuda(), "CUDAGuardImpl initialized with non-CUDA DeviceType: ", device.type());
    set_device(device);
  }
  ~CUDAGuard() { static_cast<void>(cudaSetDevice(before_)); }
  CUDAGuard(const CUDAGuard&) = delete;
  CUDAGuard& operator=(const CUDAGuard&) = delete;
  void set_index(DeviceIndex device) { set_device(Device(kCUDA, device)); }
  // Without an index it stays the one that it is.
  void set_device(Device device) {
    TORCH_INTERNAL_ASSERT(device.is_cuda());
    if (!device.has_index()) return;
    c10::cuda::set_device(device.index());
    now_ = device.index();
  }
  [[nodiscard]] Device original_device() const { return Device(kCUDA, before_); }
  [[nodiscard]] Device current_device() const { return Device(kCUDA, now_); }

 private:
  DeviceIndex before_;
  DeviceIndex now_;
};

class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(optional<Device> device) {
    if (device) guard_.emplace(*device);
  }
  explicit OptionalCUDAGuard(Device device) : OptionalCUDAGuard(optional<Device>(device)) {}
  explicit OptionalCUDAGuard(DeviceIndex device) { guard_.emplace(device); }
  void set_device(Device device) {
    if (guard_) {
      guard_->set_device(device);
    } else {
      guard_.emplace(device);
    }
  }
  void set_index(DeviceIndex device) { set_device(Device(kCUDA, device)); }
  void reset() { guard_.reset(); }

 private:
  optional<CUDAGuard> guard_;
};

}  // namespace c10::cuda

namespace at::cuda {

using namespace c10::cuda;

inline bool is_available() { return device_count() > 0; }
inline std::int64_t getNumGPUs() { return device_count(); }

// Of each device, asked for once.
inline cudaDeviceProp* getDeviceProperties(std::int64_t device) {
  static std::map<std::int64_t, cudaDeviceProp> known;
  const auto [at, is_new] = known.try_emplace(device);
  if (is_new) C10_CUDA_CHECK(cudaGetDeviceProperties(&at->second, static_cast<int>(device)));
  return &at->second;
}
inline cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(current_device()); }
inline int warp_size() { return getCurrentDeviceProperties()->warpSize; }

// A handle of cuBLAS on the current stream, with torch's usual settings: no tensor cores for float32.
inline cublasHandle_t getCurrentCUDABlasHandle() {
  static const cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    TORCH_CUDABLAS_CHECK(cublasCreate(&made));
    return made;
  }();
  TORCH_CUDABLAS_CHECK(cublasSetStream(handle, getCurrentCUDAStream()));
  TORCH_CUDABLAS_CHECK(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
  return handle;
}

}  // namespace at::cuda

namespace torch::cuda {
using namespace at::cuda;  // NOLINT
}

namespace at {
using c10::cuda::CUDAGuard;          // NOLINT(misc-unused-using-decls)
using c10::cuda::OptionalCUDAGuard;  // NOLINT(misc-unused-using-decls)

// The device of a tensor, for OptionalCUDAGuard; nothing of an undefined one.
inline optional<Device> device_of(const Tensor& tensor) {
  return tensor.defined() ? optional<Device>(tensor.device()) : nullopt;
}

template <typename T>
C10_HOST_DEVICE constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}
}  // namespace at
