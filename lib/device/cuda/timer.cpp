#include "device/cuda/timer.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "util/clock.h"

namespace fib::device::cuda {
namespace {

constexpr int kEmptyPairs = 15;
constexpr std::size_t kFewestKnown = 5;  // of them, so that the host's clock says something
// The spin begins within this time, and so ends when the host lets go.
constexpr std::int64_t kLaunchNs = 15'000;
// The host's clock saw so much more beyond a pair than beyond an empty one that it looks more closely.
constexpr double kMuchAroundNs = 1'500;
constexpr std::size_t kTimerClocksOffset = 64;  // apart from the release word

// How often this thread has lost its CPU to another one.
long times_preempted() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

Timer::Timer(const Context& context, Kernels& kernels, double late_ns)
    : context_(context), kernels_(kernels), late_ns_(late_ns), shared_(context, 128) {
  context.check(context.driver().event_create(&begin_, CU_EVENT_DEFAULT), "cuEventCreate");
  context.check(context.driver().event_create(&end_, CU_EVENT_DEFAULT), "cuEventCreate");
  calibrate();
}

double Timer::between_events() const {
  float ms = 0;
  context_.check(context_.driver().event_elapsed(&ms, begin_, end_), "cuEventElapsedTime");
  return static_cast<double>(ms) * 1e6;
}

Timer::Seen Timer::await_end() const {
  const Driver& driver = context_.driver();
  const long preempted = times_preempted();
  const auto seen_now = [&] { return Seen{util::monotonic_ns(), times_preempted() == preempted}; };
  while (polls_ && driver.event_query(end_) == CUDA_ERROR_NOT_READY) {
  }
  const Seen polled = seen_now();
  context_.check(driver.event_synchronize(end_), "cuEventSynchronize");
  return polls_ ? polled : seen_now();
}

void Timer::calibrate() {
  empty_ns_ = 0;
  empty_around_ns_ = empty_polled_ns_ = empty_wait_ns_ = 0;
  std::array<double, kEmptyPairs> pairs{};
  std::vector<double> waits;
  for (const bool polls : {true, false}) {
    polls_ = polls;
    std::vector<double> around;  // where it is known
    for (double& pair : pairs) {
      const Timing timing = time([] {});
      pair = timing.device_ns;
      waits.push_back(last_wait_ns_);
      if (timing.covered && timing.around_ns > 0) around.push_back(timing.around_ns);
    }
    std::sort(around.begin(), around.end());
    if (around.size() >= kFewestKnown)
      (polls ? empty_polled_ns_ : empty_around_ns_) = around[around.size() / 2];
  }
  std::sort(pairs.begin(), pairs.end());
  empty_ns_ = pairs[kEmptyPairs / 2];
  std::sort(waits.begin(), waits.end());
  empty_wait_ns_ = waits[waits.size() / 2];
}

Timing Timer::time(const std::function<void()>& work, bool behind_spin) {
  const Driver& driver = context_.driver();
  auto* const release = reinterpret_cast<std::uint32_t*>(shared_.data());
  const std::atomic_ref<std::uint32_t> released(*release);
  released.store(0);
  Timing timing;
  const std::int64_t spins_from = util::monotonic_ns() + kLaunchNs;
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
  const std::int64_t least_until = spins_from + static_cast<std::int64_t>(kLeastSpinNs);
  while (behind_spin && util::monotonic_ns() < least_until) {
  }
  timing.covered = driver.event_query(begin_) == CUDA_ERROR_NOT_READY;
  const std::int64_t let_go = util::monotonic_ns();
  released.store(1);
  const Seen seen = await_end();
  const std::int64_t ended = util::monotonic_ns();
  context_.wait_for_all();
  last_wait_ns_ = static_cast<double>(util::monotonic_ns() - ended);
  if (last_wait_ns_ > empty_wait_ns_ + late_ns_) timing.side_ns = last_wait_ns_ - empty_wait_ns_;
  const double pair_ns = between_events();
  timing.device_ns = pair_ns - empty_ns_;
  // Also where the begin is said to be over before: a kernel may have written that, and where it is so, less
  // is seen around.
  if (behind_spin && seen.is_whole)
    timing.around_ns = std::max(0.0, static_cast<double>(seen.at_ns - let_go) - pair_ns);
  timing.empty_around_ns = polls_ ? empty_polled_ns_ : empty_around_ns_;
  const bool is_much = timing.around_ns - timing.empty_around_ns > kMuchAroundNs;
  if (timing.empty_around_ns > 0 && (is_much || !seen.is_whole)) polls_ = true;
  const auto* clocks = reinterpret_cast<const std::uint64_t*>(shared_.data() + kTimerClocksOffset);
  if (clocks[1] > 0) timing.clock_mhz = static_cast<double>(clocks[0]) * 1e3 / static_cast<double>(clocks[1]);
  return timing;
}

}  // namespace fib::device::cuda
