#include "bench/interval.h"

#include <algorithm>
#include <cmath>

#include "eval/statistics.h"

namespace fib::bench {
namespace {

// What latencies of equal runs in fresh processes differ by in 95 of 100 cases, measured (docs/measuring.md):
// at least so many milliseconds, on CUDA with each further kernel more, and at least such a share.
constexpr double kCudaProcessMs = 0.00035;
constexpr double kCudaFurtherKernelMs = 0.0002;
constexpr double kLeastKernelMs = 0.001;
constexpr double kCudaProcessShare = 0.003;
constexpr double kCpuProcessMs = 0.002;
constexpr double kCpuProcessShare = 0.12;

constexpr double kEnoughOfProcesses = 0.5;

double processes_ms(double latency_ms, bool on_cuda, std::uint64_t kernels) {
  if (!on_cuda) return std::max(kCpuProcessMs, kCpuProcessShare * latency_ms);
  // It is the worker that says how many, and each takes a part of the latency.
  const auto further =
      std::min(static_cast<double>(std::max<std::uint64_t>(kernels, 1) - 1), latency_ms / kLeastKernelMs);
  return std::max(kCudaProcessMs + kCudaFurtherKernelMs * further, kCudaProcessShare * latency_ms);
}

}  // namespace

double Interval::own_ms() const { return std::max(calls_ms, trials_ms); }

double Interval::half_ms() const { return std::hypot(std::sqrt(2) * own_ms(), processes_ms); }

Interval interval_of(const std::vector<std::vector<double>>& trials_ms, bool on_cuda, std::uint64_t kernels) {
  std::vector<double> all;
  std::vector<double> medians;
  for (const auto& trial : trials_ms) {
    all.insert(all.end(), trial.begin(), trial.end());
    medians.push_back(eval::median(trial));
  }
  Interval interval;
  interval.calls_ms = eval::median_half_width(all);
  if (medians.size() > 1) interval.trials_ms = eval::mean_half_width(medians);
  interval.processes_ms = processes_ms(eval::mean(medians), on_cuda, kernels);
  return interval;
}

double enough_share(const Interval& interval, double latency_ms, double share) {
  return std::max(share, kEnoughOfProcesses * interval.processes_ms / latency_ms);
}

}  // namespace fib::bench
