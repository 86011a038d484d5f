#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cuda/nvml.h"
#include "util/clock.h"

namespace fib::device::cuda {

// What a device has done, in nanoseconds.
struct DeviceWork {
  // For how long its multiprocessors were at work, the mean over all of them: a kernel of one block that
  // takes 132 us counts as 1 us on a device with 132. Within some 2 %.
  double busy_ns = 0;
  // For how long its engine for kernels was: however few multiprocessors had work, a kernel counts for as
  // long as a pair of events around it reads, and 0.3 us more. What it takes to go from one process's work to
  // another's counts too.
  double engine_ns = 0;
  // What it sent over the bus to the host or what it received, whichever is more, in bytes; 0 where it has no
  // counter of that.
  double bus_bytes = 0;
};

// Counts for how long a device was at work, whichever process gave it the work, by counters that the device
// keeps itself (NVML's GPM; compute capability 9.0 and later). Processes that run code of a solution can
// neither change nor hide them. An H200 reads its counters out each 100 ms; what it reads can be seen up to
// 100 ms later. So a count begins and ends with a reading that can be seen for the first time 105 ms after
// that was asked for, or later. One thread.
class WorkCounter {
 public:
  // How the counter waits; tests have clocks of their own.
  struct Waiting {
    std::function<std::int64_t()> now_ns = util::monotonic_ns;
    std::function<void(std::int64_t ns)> sleep;  // empty: the thread sleeps
  };

  // `nvml` must outlive it; without a device (null) there are no counters.
  WorkCounter(const fib::cuda::Nvml& nvml, fib::cuda::Nvml::Device device);
  WorkCounter(const fib::cuda::Nvml& nvml, fib::cuda::Nvml::Device device, Waiting waiting);

  // Why nothing can be counted, as a sentence; empty: it can.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  // Waits for a reading of what was before, 0.1 to 0.2 s on an H200, and counts from there on: no work may
  // come meanwhile. Throws Error where nothing can be counted or no reading comes within a second.
  void begin();

  // Waits for a reading likewise, and returns what was done between the two. Counts on from this reading.
  // Throws Error likewise, and without begin().
  [[nodiscard]] DeviceWork end();

 private:
  using Sample = std::unique_ptr<struct fib::cuda::NvmlGpmSample, int (*)(fib::cuda::Nvml::GpmSample)>;

  [[nodiscard]] std::string open();
  void take(const Sample& sample) const;
  // A metric between two samples in percent; NaN or 0 of the memory where no reading lies between them.
  [[nodiscard]] double metric(fib::cuda::Nvml::GpmMetricId id, const Sample& first,
                              const Sample& second) const;
  // The same from 0 to 1; throws Error where it is no number.
  [[nodiscard]] double share(fib::cuda::Nvml::GpmMetricId id, const Sample& first,
                             const Sample& second) const;
  // 0 where there is none.
  [[nodiscard]] double bus_mib_per_s(const Sample& first, const Sample& second) const;
  // Waits for a reading of this moment or a later one, leaves it in `sample`, and says when it came.
  std::int64_t await_reading(Sample& sample);

  const fib::cuda::Nvml& nvml_;
  fib::cuda::Nvml::Device device_;
  Waiting waiting_;
  std::string problem_;
  Sample before_{nullptr, nullptr};  // while a reading is waited for
  Sample begun_{nullptr, nullptr};
  Sample ended_{nullptr, nullptr};
  std::int64_t begun_ns_ = 0;  // 0: not begun
};

}  // namespace fib::device::cuda
