#include "device/cuda/trace.h"

#include <algorithm>
#include <map>
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

std::vector<KernelUse> uses_of(const std::vector<Activity>& activities) {
  std::map<KernelLaunch, KernelUse> by_launch;
  for (const auto& activity : activities) {
    if (!activity.kernel || activity.from_device) continue;
    KernelUse& use = by_launch[activity.launch];
    ++use.times;
    use.busy_ns += static_cast<double>(activity.end_ns - activity.begin_ns);
  }
  std::vector<KernelUse> uses;
  for (auto& [launch, use] : by_launch) uses.push_back({launch, use.times, use.busy_ns});
  std::stable_sort(uses.begin(), uses.end(),
                   [](const auto& a, const auto& b) { return a.busy_ns > b.busy_ns; });
  if (uses.size() > kMostUses) uses.resize(kMostUses);
  return uses;
}

}  // namespace

Trace summarise(const std::vector<Activity>& activities, const AskedFor& asked_for) {
  Trace trace;
  const std::set<std::uint32_t> by_call(asked_for.by_call.begin(), asked_for.by_call.end());
  const std::set<std::uint32_t> by_fib(asked_for.by_fib.begin(), asked_for.by_fib.end());
  std::set<std::uint32_t> recorded;
  for (const auto& activity : activities) recorded.insert(activity.correlation);
  trace.missing = static_cast<std::uint64_t>(
      std::count_if(asked_for.launches.begin(), asked_for.launches.end(),
                    [&](std::uint32_t launch) { return !recorded.contains(launch); }));
  std::vector<Activity> counted;
  for (const auto& activity : activities) {
    if (by_fib.contains(activity.correlation)) continue;
    counted.push_back(activity);
    if (!activity.from_device && !by_call.contains(activity.correlation)) ++trace.orphans;
  }
  std::sort(counted.begin(), counted.end(),
            [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  std::set<std::uint32_t> streams;
  std::int64_t last = 0;
  for (const auto& activity : counted) {
    ++(activity.kernel ? trace.kernels : trace.copies);
    streams.insert(activity.stream);
    last = std::max(last, activity.end_ns);
  }
  trace.streams = streams.size();
  trace.busy_ns = static_cast<double>(covered(counted));
  if (!counted.empty()) trace.span_ns = static_cast<double>(last - counted.front().begin_ns);
  trace.uses = uses_of(counted);
  return trace;
}

}  // namespace fib::device::cuda
