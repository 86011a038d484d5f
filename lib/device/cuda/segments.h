#pragma once

#include <cstdint>
#include <vector>

namespace fib::device::cuda {

// How one stream was used in a segment of a call, in nanoseconds from some moment of the segment.
struct StreamSpan {
  double begin_ns = 0;  // before its first work
  double end_ns = 0;    // after its last
};

// A stretch of a call in which the host gave the device work, up to the moment when it waited until all of
// that was done.
struct Segment {
  double span_ns = 0;  // from the first stream's begin to the last one's end
  double host_ns = 0;  // what the host did since the device had ended the segment before: computing, queueing
};

// Pure: from the first begin to the last end; 0 without streams.
[[nodiscard]] double span_of(const std::vector<StreamSpan>& streams);

// Pure: the device's time for a call. The sum over its segments, each less what an empty pair of events
// reads. Gaps in which the host launches and the device has nothing to do are no device time, but what the
// host does between segments could be the work itself: beyond kFreeHostNs a call it counts.
[[nodiscard]] double device_time(const std::vector<Segment>& segments, double empty_ns);

constexpr double kFreeHostNs = 100'000;

}  // namespace fib::device::cuda
