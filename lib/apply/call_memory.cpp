#include "apply/call_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tvm_ffi/abi.h"
#include "util/error.h"

#if FIB_CUDA
#include "cuda/current_context.h"
#include "cuda/driver.h"
#endif

namespace fib::apply {
namespace {

constexpr std::uint64_t kSlotAlignment = 256;

class HostMemory final : public CallMemory {
 public:
  explicit HostMemory(std::uint64_t bytes)
      : memory_(static_cast<std::byte*>(
            std::aligned_alloc(kSlotAlignment, (bytes / kSlotAlignment + 1) * kSlotAlignment))) {
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  ~HostMemory() override { std::free(memory_); }  // NOLINT: aligned_alloc's
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  [[nodiscard]] std::byte* address() const override { return memory_; }
  void copy(std::uint64_t offset, const std::byte* from, std::uint64_t bytes) override {
    if (bytes > 0) std::memcpy(memory_ + offset, from, bytes);
  }
  void upload(std::uint64_t offset, const std::byte* from, std::uint64_t bytes) override {
    copy(offset, from, bytes);
  }
  void download(std::byte* to, std::uint64_t offset, std::uint64_t bytes) override {
    if (bytes > 0) std::memcpy(to, memory_ + offset, bytes);
  }

 private:
  std::byte* memory_;
};

#if FIB_CUDA

class CudaMemory final : public CallMemory {
 public:
  CudaMemory(const cuda::Driver& driver, std::int32_t device, void* stream, std::uint64_t bytes)
      : driver_(driver), device_(device), stream_(static_cast<CUstream>(stream)) {
    const cuda::CurrentContext current(driver_, device_);
    driver_.check(driver_.allocate(&memory_, std::max<std::uint64_t>(bytes, 1)), "cuMemAlloc");
  }
  ~CudaMemory() override {
    try {
      const cuda::CurrentContext current(driver_, device_);
      (void)driver_.free(memory_);
    } catch (const Error&) {  // the driver is shutting down, and takes its memory along
      return;
    }
  }
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  [[nodiscard]] std::byte* address() const override {
    return reinterpret_cast<std::byte*>(memory_);  // NOLINT: the driver's addresses are numbers
  }
  void copy(std::uint64_t offset, const std::byte* from, std::uint64_t bytes) override {
    if (bytes == 0) return;
    const cuda::CurrentContext current(driver_, device_);
    driver_.check(driver_.copy(memory_ + offset, reinterpret_cast<CUdeviceptr>(from), bytes, stream_),
                  "cuMemcpyDtoDAsync");
  }
  void upload(std::uint64_t offset, const std::byte* from, std::uint64_t bytes) override {
    if (bytes == 0) return;
    const cuda::CurrentContext current(driver_, device_);
    driver_.check(driver_.copy_to_device(memory_ + offset, from, bytes, stream_), "cuMemcpyHtoDAsync");
    driver_.check(driver_.stream_synchronize(stream_), "cuStreamSynchronize");
  }
  void download(std::byte* to, std::uint64_t offset, std::uint64_t bytes) override {
    const cuda::CurrentContext current(driver_, device_);
    if (bytes > 0)
      driver_.check(driver_.copy_to_host(to, memory_ + offset, bytes, stream_), "cuMemcpyDtoHAsync");
    driver_.check(driver_.stream_synchronize(stream_), "cuStreamSynchronize");
  }

 private:
  const cuda::Driver& driver_;
  std::int32_t device_;
  CUstream stream_;
  CUdeviceptr memory_ = 0;
};

#endif

}  // namespace

std::unique_ptr<CallMemory> make_call_memory([[maybe_unused]] Devices& devices, const arguments::Case& found,
                                             [[maybe_unused]] void* stream, std::uint64_t bytes) {
#if FIB_CUDA
  if (found.device_type == tvm_ffi::kCuda)
    return std::make_unique<CudaMemory>(devices.driver(), found.device_id, stream, bytes);
#endif
  if (found.device_type != tvm_ffi::kCpu) throw Error("this libfib was built without CUDA support");
  return std::make_unique<HostMemory>(bytes);
}

}  // namespace fib::apply
