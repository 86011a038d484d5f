#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>

#include "device/cuda/context.h"
#include "device/cuda/kernels.h"
#include "device/cuda/memory.h"

namespace fib::device::cuda {

constexpr std::uint64_t kLeastSpinNs = 20'000;     // long enough to read the clock's frequency from it
constexpr std::uint64_t kSpinLimitNs = 5'000'000;  // 1000 launches queue in less
constexpr double kSideNoiseNs = 20'000;            // what waiting for an idle device may take
// A wait for the idle device that takes so much longer than after an empty pair was for work. Where there are
// many streams it takes longer without any.
constexpr double kLateNs = 5'000;

// What one timed call showed.
struct Timing {
  double device_ns = 0;  // between the events, less an empty pair: the device's time for the queued work
  double host_ns = 0;    // what the host needed to queue it
  // How long the device still worked after the last event: work on other streams, or a kernel that wrote
  // itself that the event has come.
  double side_ns = 0;
  // By the host's clock: from letting go of the spin until the end was seen, beyond what the pair reads; 0:
  // nobody knows, as where this thread lost its CPU meanwhile. And the same of an empty pair. Timer says it.
  double around_ns = 0;
  double empty_around_ns = 0;
  bool covered =
      false;  // all of it was queued before any of it began; else gaps of the host are in device_ns
  double clock_mhz = 0;  // of a multiprocessor just before the work
  std::uint32_t segments =
      1;  // stretches between two waits inside, each with its own events (segment_timer.h)
  // All of it is in order with what comes to the context's stream, before it and after it. False too where
  // nobody has looked: SegmentTimer does.
  bool is_in_order = false;
};

// Times work by a pair of events behind a bounded spin: the spin keeps the stream busy until the host has
// queued everything, so that launch gaps do not count; it gives up after a bound, so that work that waits for
// the device inside does not hang. The host's clock sees the same from the spin's end on, since kernels reach
// the memory in which events keep their times. What an empty pair reads is measured when the timer is made,
// and by calibrate(), and subtracted. (The order of spin, event, work, event is nvbench's,
// detail/measure_cold; the numbers are in docs/measuring.md.) One thread.
class Timer {
 public:
  // `late_ns`: kLateNs, or kSideNoiseNs where others than fib may make streams.
  Timer(const Context& context, Kernels& kernels, double late_ns = kLateNs);

  // `work` queues the call on `context.stream()`. Returns when the whole device is idle. Throws DriverError
  // when anything of it failed, and what `work` throws. Without `behind_spin` the work begins as soon as it
  // is queued: for work that waits for the device inside.
  [[nodiscard]] Timing time(const std::function<void()>& work, bool behind_spin = true);

  // Measures the empty pair anew. Work of other processes on the device disturbs it.
  void calibrate();

  // What a pair of events with nothing between them reads, in nanoseconds.
  [[nodiscard]] double empty_ns() const { return empty_ns_; }

 private:
  double between_events() const;
  struct Seen {
    std::int64_t at_ns = 0;
    bool is_whole = false;  // this thread has had its CPU until then
  };
  [[nodiscard]] Seen await_end() const;

  const Context& context_;
  Kernels& kernels_;
  double late_ns_;
  PinnedMemory shared_;  // the spin's release word, then its clocks
  CUevent begin_ = nullptr;
  CUevent end_ = nullptr;
  double empty_ns_ = 0;
  double empty_around_ns_ = 0;
  double empty_polled_ns_ = 0;  // the same where the end is polled for
  double last_wait_ns_ = 0;     // for how long the idle device was waited for
  double empty_wait_ns_ = 0;    // the same of an empty pair
  // The end is polled for: waiting for it, the driver writes what kernels print, which takes some
  // microseconds.
  bool polls_ = false;
};

}  // namespace fib::device::cuda
