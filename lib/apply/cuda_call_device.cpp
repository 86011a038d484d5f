#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "apply/call_device.h"
#include "apply/driver_calls.h"

namespace fib::apply {
namespace {

constexpr std::uint64_t kLeastBytes = 256;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62U;

class CudaDevice final : public CallDevice {
 public:
  CudaDevice(const cuda::Driver& driver, std::int32_t device) : driver_(driver), device_(device) {}
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  ~CudaDevice() override {
    try {
      const cuda::CurrentContext current(driver_, device_);
      for (const auto& [address, block] : blocks_) (void)driver_.free(address);
    } catch (const Error&) {  // the driver is shutting down, and takes its memory along
    }
  }

  [[nodiscard]] tvm_ffi::Device device() const override { return {tvm_ffi::kCuda, device_}; }

  [[nodiscard]] void* allocate(std::uint64_t bytes, void* stream) override {
    if (bytes > kMostBytes) throw Error("no device has {} bytes", bytes);
    const StreamKey key = key_of(stream);
    const std::lock_guard lock(mutex_);
    std::pair<const CUdeviceptr, Block>* chosen = nullptr;
    for (auto& entry : blocks_) {
      const Block& block = entry.second;
      if (block.is_used || block.bytes < bytes || block.key != key) continue;
      if (chosen == nullptr || block.bytes < chosen->second.bytes) chosen = &entry;
    }
    if (chosen == nullptr) chosen = make(std::bit_ceil(std::max(bytes, kLeastBytes)), key);
    chosen->second.is_used = true;
    return std::bit_cast<void*>(chosen->first);
  }

  void free(void* memory) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(reinterpret_cast<CUdeviceptr>(memory));
    if (block != blocks_.end()) block->second.is_used = false;
  }

  [[nodiscard]] CallEnd copy(void* to, const void* from, std::uint64_t bytes, void* stream,
                             std::string& error) override {
    if (to == from) return CallEnd::done;
    const auto target = reinterpret_cast<CUdeviceptr>(to);
    const auto source = reinterpret_cast<CUdeviceptr>(from);
    return told(
        "cuMemcpyDtoDAsync",
        in_any_context(driver_, device_,
                       [&] { return driver_.copy(target, source, bytes, static_cast<CUstream>(stream)); }),
        error);
  }

  [[nodiscard]] CallEnd begin_default_stream(void* stream, std::string& error) override {
    return behind(CU_STREAM_LEGACY, stream, stream, error);
  }
  [[nodiscard]] CallEnd end_default_stream(void* stream, std::string& error) override {
    return behind(stream, CU_STREAM_LEGACY, stream, error);
  }

 private:
  struct Block {
    std::uint64_t bytes = 0;
    StreamKey key;
    bool is_used = false;
  };

  [[nodiscard]] std::pair<const CUdeviceptr, Block>* make(std::uint64_t bytes, const StreamKey& key) try {
    const cuda::CurrentContext current(driver_, device_);
    CUdeviceptr address = 0;
    const CUresult result = driver_.allocate(&address, bytes);
    std::size_t left = 0;
    std::size_t all = 0;
    if (result == CUDA_ERROR_OUT_OF_MEMORY && driver_.memory_info(&left, &all) == CUDA_SUCCESS && bytes > all)
      throw Error("the device has no {} bytes", bytes);
    driver_.check(result, "cuMemAlloc");
    return &*blocks_.emplace(address, Block{bytes, key, false}).first;
  } catch (const cuda::DriverError& error) {
    throw NoMemoryNow(error.what());
  }

  [[nodiscard]] CallEnd told(const char* function, CUresult result, std::string& error) const {
    if (result != CUDA_SUCCESS) error = fmt::format("{}: {}", function, driver_.describe(result));
    return end_of(result);
  }

  // What `later` gets from now on comes behind the work of `sooner`, where one of them is the default stream
  // and the other one is `stream`, of the program.
  [[nodiscard]] CallEnd behind(void* later, void* sooner, void* stream, std::string& error) try {
    if (stream == nullptr || stream == CU_STREAM_LEGACY) return CallEnd::done;
    const cuda::CurrentContext current(driver_, device_);
    const auto own = static_cast<CUstream>(stream);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    driver_.check(driver_.stream_is_capturing(own, &status), "cuStreamIsCapturing");
    if (status != CU_STREAM_CAPTURE_STATUS_NONE) {
      error = "the stream is being captured, which sees no work on the default stream";
      return CallEnd::impeded;
    }
    unsigned flags = 0;
    driver_.check(driver_.stream_flags(own, &flags), "cuStreamGetFlags");
    if ((flags & CU_STREAM_NON_BLOCKING) == 0) return CallEnd::done;  // the driver does so itself
    CUevent event = nullptr;
    driver_.check(driver_.event_create(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    CUresult result = driver_.event_record(event, static_cast<CUstream>(sooner));
    if (result == CUDA_SUCCESS) result = driver_.stream_wait_event(static_cast<CUstream>(later), event, 0);
    (void)driver_.event_destroy(event);
    return told("cuStreamWaitEvent", result, error);
  } catch (const cuda::DriverError& failure) {
    error = failure.what();
    return end_of(failure.code);
  }

  const cuda::Driver driver_;  // a copy: tensors that a solution keeps may outlive the one that was given
  std::int32_t device_;
  std::mutex mutex_;
  std::map<CUdeviceptr, Block> blocks_;
};

}  // namespace

std::shared_ptr<CallDevice> cuda_device(const cuda::Driver& driver, std::int32_t device) {
  return std::make_shared<CudaDevice>(driver, device);
}

}  // namespace fib::apply
