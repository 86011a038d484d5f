#include "device/cuda/segment_timer.h"

#include <atomic>

#include "util/clock.h"

namespace fib::device::cuda {
namespace {

constexpr std::size_t kFirstClocksOffset = 64;  // apart from the release word
constexpr std::size_t kSegmentClocksOffset = 96;

}  // namespace

SegmentTimer::SegmentTimer(const Context& context, Kernels& kernels, const Timer& timer, ApiWatcher& watcher)
    : context_(context),
      kernels_(kernels),
      timer_(timer),
      shared_(context, 128),
      recorder_(context.driver(), context.stream(),
                {[this](CUstream stream) { return spin(stream); },
                 [this](bool released) {
                   std::atomic_ref(*reinterpret_cast<std::uint32_t*>(shared_.data())).store(released ? 1 : 0);
                 },
                 static_cast<std::int64_t>(kSpinLimitNs)}),
      watcher_(watcher) {}

CUresult SegmentTimer::spin(CUstream stream) {
  try {
    kernels_.spin_on(stream, shared_.device(), 0, kSpinLimitNs, shared_.device() + kSegmentClocksOffset);
    return CUDA_SUCCESS;
  } catch (const fib::cuda::DriverError& error) {
    return error.code;
  }
}

Timing SegmentTimer::time(const std::function<void()>& work, SegmentRecorder::Threads threads) {
  const std::atomic_ref<std::uint32_t> released(*reinterpret_cast<std::uint32_t*>(shared_.data()));
  released.store(0);
  {
    const OwnWork own;
    kernels_.spin(shared_.device(), kLeastSpinNs, kSpinLimitNs, shared_.device() + kFirstClocksOffset);
  }
  recorder_.start(threads);
  watcher_.start(recorder_);
  const std::int64_t begin = util::monotonic_ns();
  try {
    work();
  } catch (...) {
    watcher_.stop();
    released.store(1);
    throw;
  }
  const auto host_ns = static_cast<double>(util::monotonic_ns() - begin);
  watcher_.stop();
  recorder_.release();
  released.store(1);
  auto result = recorder_.finish();
  result.records_own_event |= watcher_.graphs_record([this](CUevent event) { return recorder_.owns(event); });
  const std::int64_t ended = util::monotonic_ns();
  context_.wait_for_all();
  Timing timing = timing_of(result);
  const auto waited = static_cast<double>(util::monotonic_ns() - ended);
  if (waited > kSideNoiseNs) timing.side_ns = waited;
  timing.host_ns = host_ns;
  return timing;
}

Timing SegmentTimer::timing_of(const SegmentRecorder::Result& result) const {
  context_.check(result.error, "a call of the clock");
  if (result.orphans > 0)
    throw Error(
        "{} pieces of work on the device were not launched by the call itself, but by another thread of the "
        "process",
        result.orphans);
  if (result.has_foreign_work)
    throw Error("the call works in a CUDA context of its own, where no clock runs");
  if (result.records_own_event) throw Error("the call records an event of the clock");
  if (result.is_unfinished) throw Error("the call leaves work of which no clock sees the end");
  if (result.has_unknown_stream) throw Error("the call gives the device work in a way that no clock knows");
  Timing timing;
  timing.device_ns = device_time(result.segments, timer_.empty_ns());
  timing.covered = result.covered;
  timing.is_in_order = !result.used_other_streams;
  timing.segments = static_cast<std::uint32_t>(result.segments.size());
  const auto* clocks = reinterpret_cast<const std::uint64_t*>(shared_.data() + kFirstClocksOffset);
  if (clocks[1] > 0) timing.clock_mhz = static_cast<double>(clocks[0]) * 1e3 / static_cast<double>(clocks[1]);
  return timing;
}

}  // namespace fib::device::cuda
