#include "device/cuda/work_counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "util/error.h"

namespace fib::device::cuda {
namespace {

using fib::cuda::Nvml;

// A sample and a metric take 0.2 to 0.5 ms on an H200.
constexpr std::int64_t kBetweenSamplesNs = 1'000'000;
// How old a reading may be when it can be seen first: on an H200 up to the 100 ms between two, since what
// reads the counters and what shows them have clocks of their own (one ran away from the other by 0.17 ms a
// second, from 89 to 97 ms within 45 s), and as long as it takes to look.
constexpr std::int64_t kMostAgeNs = 105'000'000;
constexpr std::int64_t kMostWaitNs = 1'000'000'000;
constexpr double kBytesPerMib = 1 << 20;

std::string counters_unreadable(int result) {
  return fmt::format("the device's counters cannot be read: NVML's error {}", result);
}

void sleep_for(std::int64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }

}  // namespace

WorkCounter::WorkCounter(const Nvml& nvml, Nvml::Device device) : WorkCounter(nvml, device, {}) {}

WorkCounter::WorkCounter(const Nvml& nvml, Nvml::Device device, Waiting waiting)
    : nvml_(nvml), device_(device), waiting_(std::move(waiting)) {
  if (!waiting_.sleep) waiting_.sleep = sleep_for;
  problem_ = open();
}

// Returns the problem, if there is one.
std::string WorkCounter::open() {
  if (!nvml_.problem.empty()) return nvml_.problem;
  const bool is_there = nvml_.gpm_support != nullptr && nvml_.gpm_allocate != nullptr &&
                        nvml_.gpm_free != nullptr && nvml_.gpm_sample != nullptr &&
                        nvml_.gpm_metrics != nullptr;
  if (!is_there || device_ == nullptr) return "the driver cannot read counters of the device's work";
  Nvml::GpmSupport support;
  if (const int result = nvml_.gpm_support(device_, &support); result != 0)
    return counters_unreadable(result);
  if (support.is_supported == 0)
    return "the device has no counters of its work (compute capability 9.0 and later, without MIG)";
  for (Sample* sample : {&before_, &begun_, &ended_}) {
    Nvml::GpmSample made = nullptr;
    if (const int result = nvml_.gpm_allocate(&made); result != 0) return counters_unreadable(result);
    *sample = Sample(made, nvml_.gpm_free);
  }
  try {
    take(before_);
    take(begun_);
    for (const auto id : {Nvml::kSmUtil, Nvml::kGraphicsUtil, Nvml::kDramUtil})
      (void)metric(id, before_, begun_);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void WorkCounter::take(const Sample& sample) const {
  if (!problem_.empty()) throw Error("{}", problem_);
  if (const int result = nvml_.gpm_sample(device_, sample.get()); result != 0)
    throw Error("{}", counters_unreadable(result));
}

double WorkCounter::metric(Nvml::GpmMetricId id, const Sample& first, const Sample& second) const {
  Nvml::GpmMetrics metrics;
  metrics.count = 1;
  metrics.first = first.get();
  metrics.second = second.get();
  metrics.metrics[0].id = id;
  int result = nvml_.gpm_metrics(&metrics);
  if (result == 0) result = metrics.metrics[0].result;
  if (result != 0) throw Error("{}", counters_unreadable(result));
  return metrics.metrics[0].value;
}

double WorkCounter::share(Nvml::GpmMetricId id, const Sample& first, const Sample& second) const {
  const double percent = metric(id, first, second);
  if (!std::isfinite(percent)) throw Error("the device's counters say nothing of the time that was counted");
  return percent / 100;
}

double WorkCounter::bus_mib_per_s(const Sample& first, const Sample& second) const {
  try {
    const double most =
        std::max(metric(Nvml::kPcieSent, first, second), metric(Nvml::kPcieReceived, first, second));
    return std::isfinite(most) ? most : 0;
  } catch (const Error&) {
    return 0;  // a device may lack this one
  }
}

// A device's memory is never quite still: where it was, both samples hold the same reading (NVML divides by
// the time between the two then).
std::int64_t WorkCounter::await_reading(Sample& sample) {
  waiting_.sleep(kMostAgeNs);
  take(before_);
  const std::int64_t begin = waiting_.now_ns();
  for (;;) {
    waiting_.sleep(kBetweenSamplesNs);
    take(sample);
    const std::int64_t now = waiting_.now_ns();
    const double memory = metric(Nvml::kDramUtil, before_, sample);
    if (std::isfinite(memory) && memory > 0) return now;
    if (now - begin > kMostWaitNs) throw Error("the device's counters stand still");
  }
}

void WorkCounter::begin() {
  begun_ns_ = 0;
  begun_ns_ = await_reading(begun_);
}

DeviceWork WorkCounter::end() {
  if (begun_ns_ == 0) throw Error("nothing has begun to be counted");
  const std::int64_t begun_ns = std::exchange(begun_ns_, 0);
  const std::int64_t ended_ns = await_reading(ended_);
  const auto ns = static_cast<double>(ended_ns - begun_ns);
  const DeviceWork work{share(Nvml::kSmUtil, begun_, ended_) * ns,
                        share(Nvml::kGraphicsUtil, begun_, ended_) * ns,
                        bus_mib_per_s(begun_, ended_) * kBytesPerMib * ns / 1e9};
  std::swap(begun_, ended_);
  begun_ns_ = ended_ns;
  return work;
}

}  // namespace fib::device::cuda
