#include "device/cuda/trace.h"

#include <algorithm>
#include <set>

namespace fib::device::cuda {
namespace {

// The length of the union of all intervals, which are sorted by their begin.
std::int64_t covered(const std::vector<Activity>& sorted) {
  std::int64_t total = 0;
  std::int64_t reached = sorted.empty() ? 0 : sorted.front().begin_ns;
  for (const auto& activity : sorted) {
    const std::int64_t begin = std::max(activity.begin_ns, reached);
    total += std::max<std::int64_t>(0, activity.end_ns - begin);
    reached = std::max(reached, activity.end_ns);
  }
  return total;
}

}  // namespace

Trace summarise(std::vector<Activity> activities, const std::vector<std::uint32_t>& launched,
                std::uint32_t own_stream) {
  Trace trace;
  std::sort(activities.begin(), activities.end(),
            [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  const std::set<std::uint32_t> own(launched.begin(), launched.end());
  std::set<std::uint32_t> streams;
  std::set<std::uint32_t> side_streams;
  std::int64_t last = 0;
  for (const auto& activity : activities) {
    ++(activity.kernel ? trace.kernels : trace.copies);
    streams.insert(activity.stream);
    if (activity.stream != own_stream && !activity.from_device) side_streams.insert(activity.stream);
    last = std::max(last, activity.end_ns);
    if (!activity.from_device && !own.contains(activity.correlation)) ++trace.orphans;
  }
  trace.streams = streams.size();
  trace.side_streams = side_streams.size();
  trace.busy_ns = static_cast<double>(covered(activities));
  if (!activities.empty()) trace.span_ns = static_cast<double>(last - activities.front().begin_ns);
  return trace;
}

}  // namespace fib::device::cuda
