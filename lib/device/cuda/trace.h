#pragma once

#include <cstdint>
#include <vector>

namespace fib::device::cuda {

// One piece of work that the device did, by the device's own clock.
struct Activity {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;  // CUPTI's number of the call of the driver that asked for it
  bool kernel = false;            // else a copy or a set
  bool from_device = false;       // launched by another kernel
};

// CUPTI's numbers of calls of the driver.
struct AskedFor {
  std::vector<std::uint32_t> by_call;  // of the solution, within its call
  std::vector<std::uint32_t> by_fib;
};

// What the device did for one call.
struct Trace {
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;   // copies and sets
  std::uint64_t streams = 0;  // how many had work
  std::uint64_t orphans = 0;  // pieces that neither the call nor fib asked for: other threads' work
  std::uint64_t dropped = 0;  // records that were lost: nothing else here is to be believed
  double busy_ns = 0;         // how long the device did anything
  double span_ns = 0;         // from the first begin to the last end
};

// Pure. fib's own work is left out. What other kernels launch belongs to the call.
[[nodiscard]] Trace summarise(const std::vector<Activity>& activities, const AskedFor& asked_for);

}  // namespace fib::device::cuda
