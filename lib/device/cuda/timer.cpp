#include "device/cuda/timer.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "util/clock.h"

namespace fib::device::cuda {
namespace {

constexpr int kEmptyPairs = 15;
constexpr std::size_t kTimerClocksOffset = 64;  // apart from the release word

}  // namespace

Timer::Timer(const Context& context, Kernels& kernels)
    : context_(context), kernels_(kernels), shared_(context, 128) {
  context.check(context.driver().event_create(&begin_, CU_EVENT_DEFAULT), "cuEventCreate");
  context.check(context.driver().event_create(&end_, CU_EVENT_DEFAULT), "cuEventCreate");
  calibrate();
}

double Timer::between_events() const {
  float ms = 0;
  context_.check(context_.driver().event_elapsed(&ms, begin_, end_), "cuEventElapsedTime");
  return static_cast<double>(ms) * 1e6;
}

void Timer::calibrate() {
  empty_ns_ = 0;
  std::array<double, kEmptyPairs> pairs{};
  for (auto& pair : pairs) pair = time([] {}).device_ns;
  std::sort(pairs.begin(), pairs.end());
  empty_ns_ = pairs[kEmptyPairs / 2];
}

Timing Timer::time(const std::function<void()>& work, bool behind_spin) {
  const Driver& driver = context_.driver();
  auto* const release = reinterpret_cast<std::uint32_t*>(shared_.data());
  const std::atomic_ref<std::uint32_t> released(*release);
  released.store(0);
  Timing timing;
  kernels_.spin(shared_.device(), kLeastSpinNs, behind_spin ? kSpinLimitNs : kLeastSpinNs,
                shared_.device() + kTimerClocksOffset);
  context_.check(driver.event_record(begin_, context_.stream()), "cuEventRecord");
  const std::int64_t queued_from = util::monotonic_ns();
  try {
    work();
  } catch (...) {
    released.store(1);
    throw;
  }
  timing.host_ns = static_cast<double>(util::monotonic_ns() - queued_from);
  context_.check(driver.event_record(end_, context_.stream()), "cuEventRecord");
  timing.covered = driver.event_query(begin_) == CUDA_ERROR_NOT_READY;
  released.store(1);
  context_.check(driver.event_synchronize(end_), "cuEventSynchronize");
  const std::int64_t ended = util::monotonic_ns();
  context_.wait_for_all();
  const auto waited = static_cast<double>(util::monotonic_ns() - ended);
  if (waited > kSideNoiseNs) timing.side_ns = waited;
  timing.device_ns = between_events() - empty_ns_;
  const auto* clocks = reinterpret_cast<const std::uint64_t*>(shared_.data() + kTimerClocksOffset);
  if (clocks[1] > 0) timing.clock_mhz = static_cast<double>(clocks[0]) * 1e3 / static_cast<double>(clocks[1]);
  return timing;
}

}  // namespace fib::device::cuda
