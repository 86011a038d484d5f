#include "device/cuda/segments.h"

#include <algorithm>

namespace fib::device::cuda {

double span_of(const std::vector<StreamSpan>& streams) {
  if (streams.empty()) return 0;
  const auto first = std::min_element(streams.begin(), streams.end(),
                                      [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  const auto last = std::max_element(streams.begin(), streams.end(),
                                     [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; });
  return last->end_ns - first->begin_ns;
}

double device_time(const std::vector<Segment>& segments, double empty_ns) {
  double device_ns = 0;
  double host_ns = 0;
  for (const auto& segment : segments) {
    device_ns += segment.span_ns - empty_ns;
    host_ns += segment.host_ns;
  }
  return device_ns + std::max(0.0, host_ns - kFreeHostNs);
}

}  // namespace fib::device::cuda
