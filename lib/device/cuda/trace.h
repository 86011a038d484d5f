#pragma once

#include <cstdint>
#include <vector>

namespace fib::device::cuda {

// One piece of work that the device did, by the device's own clock.
struct Activity {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;  // of the launch
  bool kernel = false;            // else a copy or a set
  bool from_device = false;       // launched by another kernel
};

// What the records of one call say together.
struct Trace {
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;        // copies and sets
  std::uint64_t streams = 0;       // how many had work
  std::uint64_t side_streams = 0;  // of them, those other than the one that the call was told to use
  std::uint64_t orphans = 0;       // pieces that the call did not launch itself: other threads' work
  std::uint64_t dropped = 0;       // records that were lost: nothing else here is to be believed
  double busy_ns = 0;              // how long the device did anything
  double span_ns = 0;              // from the first begin to the last end
};

// Pure. `launched` are the correlation ids of what the call launched itself, `own_stream` is the stream that
// it was told to use. What other kernels launch is over when they are, wherever it runs.
[[nodiscard]] Trace summarise(std::vector<Activity> activities, const std::vector<std::uint32_t>& launched,
                              std::uint32_t own_stream);

}  // namespace fib::device::cuda
