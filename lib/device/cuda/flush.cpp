#include "device/cuda/flush.h"

namespace fib::device::cuda {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

}  // namespace

// Two and a half caches: replacement is not strictly by age.
std::uint64_t flush_bytes(std::uint64_t l2_bytes) { return (l2_bytes * 5 / 2 + kMiB) / kMiB * kMiB; }

Flush::Flush(const Context& context, Kernels& kernels, FlushKind kind, HostCode host_code)
    : context_(context), kernels_(kernels), kind_(kind), host_code_(host_code) {
  if (kind == FlushKind::kNone) return;
  buffer_ = DeviceMemory(context, flush_bytes(context.l2_bytes()));
  never_ = DeviceMemory(context, sizeof(std::uint32_t));
  const Driver& driver = context.driver();
  context.check(driver.set_bytes(buffer_.data(), 0, buffer_.size(), context.stream()), "cuMemsetD8Async");
}

// Where host code was given the stream on which the flush runs, it may have said which lines the cache shall
// keep of what runs there.
void Flush::forget_access_window() const {
  const Driver& driver = context_.driver();
  CUstreamAttrValue value{};
  const auto id = CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW;
  const bool is_known = driver.stream_attribute(context_.stream(), id, &value) == CUDA_SUCCESS;
  if (!is_known || value.accessPolicyWindow.num_bytes == 0) return;
  const CUstreamAttrValue none{};
  (void)driver.set_stream_attribute(context_.stream(), id, &none);
}

void Flush::take_back() const {
  if (host_code_ == HostCode::kNone) return;
  // Devices that have no persisting L2 refuse; then there is nothing to take back. Setting the limit waits
  // for the device (50 us and more on an H200), asking does not.
  const Driver& driver = context_.driver();
  std::size_t bytes = 0;
  const bool is_known = driver.get_limit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE) == CUDA_SUCCESS;
  if (is_known && bytes > 0) (void)driver.set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
  (void)driver.reset_persisting_l2();
  forget_access_window();
}

void Flush::operator()() {
  take_back();
  if (kind_ == FlushKind::kClean) kernels_.read(buffer_.data(), buffer_.size(), never_.data());
  if (kind_ == FlushKind::kDirty) kernels_.write(buffer_.data(), buffer_.size());
}

}  // namespace fib::device::cuda
