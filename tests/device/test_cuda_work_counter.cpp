#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/cuda/work_counter.h"
#include "util/error.h"

// The counter on an NVML of the test's own, whose device reads its counters out each 100 ms.
using fib::Error;
using fib::cuda::Nvml;
using fib::device::cuda::WorkCounter;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kReadingNs = 100 * kMs;

// NVML's functions have no argument for this.
struct Device {
  std::int64_t now_ns = 12'345 * kMs;
  std::int64_t age_ns = 40 * kMs;  // of a reading that can be seen for the first time
  bool stands_still = false;
  int sample_result = 0;
  unsigned is_supported = 1;
  // For how long the multiprocessors were at work until then.
  double (*busy_ns)(std::int64_t until_ns) = [](std::int64_t until_ns) {
    return 0.25 * static_cast<double>(until_ns);
  };
  // And the engine for kernels.
  double (*engine_ns)(std::int64_t until_ns) = [](std::int64_t until_ns) {
    return 0.5 * static_cast<double>(until_ns);
  };
  unsigned refused_metric = 0;
  unsigned metric_without_value = 0;
  double sent_mib_per_s = 0;
  double received_mib_per_s = 0;
  int samples = 0;  // allocated and not freed
};
Device device;

struct Reading {
  std::int64_t at_ns = 0;
};

Reading& reading_in(Nvml::GpmSample sample) { return *reinterpret_cast<Reading*>(sample); }

Nvml nvml_of_test() {
  device = {};
  Nvml nvml;
  nvml.gpm_support = [](Nvml::Device, Nvml::GpmSupport* support) {
    support->is_supported = device.is_supported;
    return 0;
  };
  nvml.gpm_allocate = [](Nvml::GpmSample* sample) {
    ++device.samples;
    *sample = reinterpret_cast<Nvml::GpmSample>(new Reading);
    return 0;
  };
  nvml.gpm_free = [](Nvml::GpmSample sample) {
    --device.samples;
    delete &reading_in(sample);
    return 0;
  };
  nvml.gpm_sample = [](Nvml::Device, Nvml::GpmSample sample) {
    reading_in(sample).at_ns =
        device.stands_still ? 0 : (device.now_ns - device.age_ns) / kReadingNs * kReadingNs;
    return device.sample_result;
  };
  nvml.gpm_metrics = [](Nvml::GpmMetrics* metrics) {
    const auto& first = reading_in(metrics->first);
    const auto& second = reading_in(metrics->second);
    const auto between_ns = static_cast<double>(second.at_ns - first.at_ns);
    auto& metric = metrics->metrics[0];
    metric.result = metric.id == device.refused_metric ? 3 : 0;  // NVML_ERROR_NOT_SUPPORTED
    if (metric.id == Nvml::kDramUtil) {
      metric.value = between_ns == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.0005;
    } else if (metric.id == Nvml::kPcieSent || metric.id == Nvml::kPcieReceived) {
      metric.value = metric.id == Nvml::kPcieSent ? device.sent_mib_per_s : device.received_mib_per_s;
    } else {
      const auto until_ns = metric.id == Nvml::kSmUtil ? device.busy_ns : device.engine_ns;
      const double ns = until_ns(second.at_ns) - until_ns(first.at_ns);
      metric.value = between_ns == 0 ? 0 : 100 * ns / between_ns;
      if (metric.id == device.metric_without_value) metric.value = std::numeric_limits<double>::quiet_NaN();
    }
    return 0;
  };
  return nvml;
}

WorkCounter counter_of(const Nvml& nvml) {
  static int any_device = 0;
  return {nvml,
          reinterpret_cast<Nvml::Device>(&any_device),
          {[] { return device.now_ns; }, [](std::int64_t ns) { device.now_ns += ns; }}};
}

}  // namespace

TEST_CASE("work is counted from one reading of a device's counters to another") {
  const Nvml nvml = nvml_of_test();
  auto counter = counter_of(nvml);
  CHECK(counter.problem().empty());
  counter.begin();
  // The reading of 12.5 s, which can be seen from 12.54 s on: the first to be seen after 12.345 + 0.1 s.
  CHECK(device.now_ns >= 12'540 * kMs);
  CHECK(device.now_ns < 12'545 * kMs);
  device.now_ns += 30 * kMs;
  const auto work = counter.end();
  CHECK(work.busy_ns == Approx(0.25 * 200 * kMs).epsilon(0.02));
  CHECK(work.engine_ns == Approx(0.5 * 200 * kMs).epsilon(0.02));
  // It counts on from there. A wait over several readings counts as one.
  device.now_ns += 730 * kMs;
  CHECK(counter.end().busy_ns == Approx(0.25 * 900 * kMs).epsilon(0.02));
}

TEST_CASE("what goes over the bus to the host is counted, in the direction in which there is more") {
  const Nvml nvml = nvml_of_test();
  auto counter = counter_of(nvml);
  for (double Device::*more : {&Device::sent_mib_per_s, &Device::received_mib_per_s}) {
    device.sent_mib_per_s = device.received_mib_per_s = 1;
    device.*more = 50;
    counter.begin();
    device.now_ns += 30 * kMs;
    CHECK(counter.end().bus_bytes == Approx(50 * 1024 * 1024 * 0.2).epsilon(0.02));
  }
}

TEST_CASE("a device without a counter of the bus has the others, and one without those has none") {
  const Nvml nvml = nvml_of_test();
  device.sent_mib_per_s = device.received_mib_per_s = 50;
  device.refused_metric = Nvml::kPcieReceived;
  auto counter = counter_of(nvml);
  CHECK(counter.problem().empty());
  counter.begin();
  const auto work = counter.end();
  CHECK(work.bus_bytes == 0);
  CHECK(work.busy_ns > 0);
  for (const auto id : {Nvml::kSmUtil, Nvml::kGraphicsUtil, Nvml::kDramUtil}) {
    device.refused_metric = id;
    CHECK(counter_of(nvml).problem() == "the device's counters cannot be read: NVML's error 3");
  }
}

TEST_CASE("however old readings are when they can be seen, no work before a count is in it, nor missing") {
  for (const std::int64_t age_ms : {1, 20, 62, 97, 99, 100, 101}) {
    for (std::int64_t begin_ms = 12'300; begin_ms < 12'400; begin_ms += 3) {
      const Nvml nvml = nvml_of_test();
      device.age_ns = age_ms * kMs;
      device.now_ns = begin_ms * kMs + kMs / 2;
      static std::int64_t before_ns = 0;
      static std::int64_t counted_ns = 0;
      before_ns = device.now_ns;
      counted_ns = std::numeric_limits<std::int64_t>::max();
      device.engine_ns = [](std::int64_t until_ns) {
        return (until_ns >= before_ns ? 3e6 : 0) + (until_ns >= counted_ns ? 5e6 : 0);
      };
      auto counter = counter_of(nvml);
      counter.begin();
      device.now_ns += 50 * kMs;
      counted_ns = device.now_ns;
      INFO(age_ms << " " << begin_ms);
      CHECK(counter.end().engine_ns == Approx(5e6).epsilon(0.02));
    }
  }
}

TEST_CASE("work before a count and after it is not counted, and all of that in between is") {
  const Nvml nvml = nvml_of_test();
  device.busy_ns = [](std::int64_t until_ns) {
    const auto worked = [&](std::int64_t ended_ms, double ns) { return until_ns >= ended_ms * kMs ? ns : 0; };
    return worked(12'344, 3e6) + worked(12'560, 5e6) + worked(12'760, 7e6);
  };
  auto counter = counter_of(nvml);
  counter.begin();
  device.now_ns = 12'560 * kMs;
  CHECK(counter.end().busy_ns == Approx(5e6).epsilon(0.02));
  CHECK(device.now_ns < 12'760 * kMs);
  CHECK_THROWS_AS(counter_of(nvml).end(), Error);  // without a begin
}

TEST_CASE("a device without counters, or a driver without them, says so") {
  {
    Nvml nvml = nvml_of_test();
    device.is_supported = 0;
    auto counter = counter_of(nvml);
    CHECK(counter.problem() ==
          "the device has no counters of its work (compute capability 9.0 and later, without MIG)");
    CHECK_THROWS_AS(counter.begin(), Error);
  }
  {
    Nvml nvml = nvml_of_test();
    nvml.gpm_metrics = nullptr;
    CHECK(counter_of(nvml).problem() == "the driver cannot read counters of the device's work");
  }
  {
    Nvml nvml = nvml_of_test();
    device.sample_result = 4;  // NVML_ERROR_NO_PERMISSION
    CHECK(counter_of(nvml).problem() == "the device's counters cannot be read: NVML's error 4");
  }
  {
    Nvml nvml;
    nvml.problem = "there is no NVML";
    CHECK(WorkCounter(nvml, nullptr).problem() == "there is no NVML");
  }
}

TEST_CASE("a count that is no number is an error") {
  for (const auto id : {Nvml::kSmUtil, Nvml::kGraphicsUtil}) {
    const Nvml nvml = nvml_of_test();
    auto counter = counter_of(nvml);
    counter.begin();
    device.metric_without_value = id;
    CHECK_THROWS_WITH(counter.end(), "the device's counters say nothing of the time that was counted");
  }
}

TEST_CASE("counters that stop are an error, and no wait without end") {
  const Nvml nvml = nvml_of_test();
  {
    auto counter = counter_of(nvml);
    counter.begin();
    device.stands_still = true;
    CHECK_THROWS_WITH(counter.end(), "the device's counters stand still");
    device.stands_still = false;
    device.sample_result = 15;
    CHECK_THROWS_WITH(counter.begin(), "the device's counters cannot be read: NVML's error 15");
    CHECK(device.samples == 3);
  }
  CHECK(device.samples == 0);
}
