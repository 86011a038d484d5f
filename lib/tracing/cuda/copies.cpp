#include "tracing/cuda/copies.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "tracing/budget.h"
#include "tracing/cuda/lane.h"

namespace fib::tracing::cuda {
namespace {

CUstream stream_of(void* stream) { return static_cast<CUstream>(stream); }

// One copy: its memory, and the event that says when it is made.
class Copy final : public DeviceCopy {
 public:
  Copy(Lane& lane, Budget::Share share, std::uint64_t bytes)
      : lane_(lane), share_(std::move(share)), bytes_(bytes) {}
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  ~Copy() override {
    try {
      const CurrentContext current(lane_.driver(), lane_.context());
      if (address_ != 0) lane_.free(address_, ready_);
      if (ready_ != nullptr) (void)lane_.driver().event_destroy(ready_);
    } catch (const Error&) {  // the context, or the driver itself, is gone, and all of this with it
      return;
    }
  }

  // False when the device has no room.
  [[nodiscard]] bool make(CUstream stream, std::span<const DevicePart> parts) {
    const Driver& driver = lane_.driver();
    const unsigned flags = CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC;
    driver.check(driver.event_create(&ready_, flags), "cuEventCreate");
    const CUresult result = driver.pool_allocate(&address_, bytes_, lane_.pool(), stream);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) return false;
    driver.check(result, "cuMemAllocFromPoolAsync");
    CUresult copied = CUDA_SUCCESS;
    for (const auto& part : parts) {
      const auto from = reinterpret_cast<CUdeviceptr>(part.address);
      if (copied == CUDA_SUCCESS && part.bytes > 0)
        copied = driver.copy(address_ + part.offset, from, part.bytes, stream);
    }
    const CUresult recorded = driver.event_record(ready_, stream);
    if (recorded != CUDA_SUCCESS) (void)driver.free_async(std::exchange(address_, 0), stream);
    driver.check(recorded, "cuEventRecord");
    driver.check(copied, "cuMemcpyDtoDAsync");
    return true;
  }

  void download(std::byte* to) override {
    const CurrentContext current(lane_.driver(), lane_.context());
    lane_.download(to, address_, bytes_, ready_);
  }

 private:
  Lane& lane_;
  Budget::Share share_;
  std::uint64_t bytes_;
  CUdeviceptr address_ = 0;
  CUevent ready_ = nullptr;
};

class Copies final : public DeviceCopies {
 public:
  Copies(std::function<Driver()> open, std::uint64_t limit)
      : open_(std::move(open)), limit_(limit), budget_(limit) {}

  bool is_current(int device) override {
    const Driver& table = driver();
    CUdevice wanted = 0;
    table.check(table.device_get(&wanted, device), "cuDeviceGet");
    return current_device() == wanted;
  }

  bool is_capturing(void* stream) override {
    const Driver& table = driver();
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = table.stream_is_capturing(stream_of(stream), &status);
    // The default stream, while one that it waits for is captured: using it would end that capture.
    if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return true;
    table.check(result, "cuStreamIsCapturing");
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
  }

  std::unique_ptr<DeviceCopy> copy(void* stream, std::span<const DevicePart> parts,
                                   std::uint64_t bytes) override {
    auto share = budget_.take(bytes);
    if (!share) return nullptr;
    const fib::cuda::RelaxedCapture relaxed(driver());
    auto copy =
        std::make_unique<Copy>(lane_of_current(), std::move(share), std::max<std::uint64_t>(bytes, 1));
    if (!copy->make(stream_of(stream), parts)) return nullptr;
    return copy;
  }

  std::uint64_t bytes_held() const override { return budget_.used(); }

 private:
  const Driver& driver() {
    const std::lock_guard lock(mutex_);
    if (!driver_) driver_ = open_();
    return *driver_;
  }

  CUcontext current_context() {
    const Driver& table = driver();
    CUcontext context = nullptr;
    table.check(table.get_current(&context), "cuCtxGetCurrent");
    if (context == nullptr) throw Error("no CUDA context is current");
    return context;
  }

  CUdevice current_device() {
    (void)current_context();
    CUdevice device = 0;
    driver().check(driver().context_device(&device), "cuCtxGetDevice");
    return device;
  }

  Lane& lane_of_current() {
    const CUcontext context = current_context();
    const CUdevice device = current_device();
    const std::lock_guard lock(mutex_);
    auto& lane = lanes_[context];
    if (lane == nullptr) lane = std::make_unique<Lane>(*driver_, context, device, limit_);
    return *lane;
  }

  std::function<Driver()> open_;
  std::uint64_t limit_;
  Budget budget_;
  std::mutex mutex_;
  std::optional<Driver> driver_;
  std::map<CUcontext, std::unique_ptr<Lane>> lanes_;
};

}  // namespace

std::unique_ptr<DeviceCopies> make_copies(std::function<fib::cuda::Driver()> open, std::uint64_t limit) {
  return std::make_unique<Copies>(std::move(open), limit);
}

}  // namespace fib::tracing::cuda
