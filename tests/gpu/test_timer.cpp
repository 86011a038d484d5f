#include <algorithm>
#include <cmath>
#include <vector>

#include "device/cuda/timer.h"
#include "gpu/gpu.h"

using namespace fib;
using device::cuda::PinnedMemory;
using device::cuda::Timer;

TEST_CASE("the timer reads what a kernel of known duration takes, without the spin and without an empty pair",
          "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  Timer timer(gpu->context, gpu->kernels);
  const PinnedMemory words(gpu->context, 128);
  for (const std::uint64_t wanted_ns : {20'000ULL, 200'000ULL}) {
    // A spin of our own as the work: it ends by its bound.
    const auto timing =
        timer.time([&] { gpu->kernels.spin(words.device(), wanted_ns, wanted_ns, words.device() + 64); });
    CHECK(timing.covered);
    CHECK(timing.device_ns > static_cast<double>(wanted_ns) * 0.98);
    CHECK(timing.device_ns < static_cast<double>(wanted_ns) * 1.02 + 3000);
    CHECK(timing.host_ns > 0);
    CHECK(timing.host_ns < 1e6);
    CHECK(timing.clock_mhz > 200);
    CHECK(timing.clock_mhz < 4000);
    // The host's clock sees as much, but for what it sees of nothing, too.
    CHECK(timing.around_ns > 0);
    CHECK(std::abs(timing.around_ns - timing.empty_around_ns) < 10'000);
  }
}

TEST_CASE("a call that waits for the device inside is not covered, and does not hang", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  Timer timer(gpu->context, gpu->kernels);
  const PinnedMemory words(gpu->context, 128);
  const auto work = [&] {
    gpu->kernels.spin(words.device(), 50'000, 50'000, words.device() + 64);
    gpu->context.wait();
  };
  CHECK_FALSE(timer.time(work).covered);
  const auto open = timer.time(work, false);
  CHECK_FALSE(open.covered);
  CHECK(open.around_ns == 0);
  CHECK(open.device_ns > 49'000);
  CHECK(open.device_ns < 150'000);
}

TEST_CASE("work on another stream that outlives the call is seen", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  Timer timer(gpu->context, gpu->kernels);
  const auto& driver = gpu->context.driver();
  CUstream side = nullptr;
  REQUIRE(driver.stream_create(&side, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  // A large set on a side stream: nothing of it lies between the events.
  const device::cuda::DeviceMemory memory(gpu->context, 1ULL << 30U);
  const auto timing = timer.time([&] { driver.set_bytes(memory.data(), 1, memory.size(), side); });
  CHECK(timing.device_ns < 100'000);
  CHECK(timing.device_ns + timing.side_ns > 100'000);
  // Without any nothing is, but for now and then, when this thread lost its CPU.
  std::vector<double> idle_ns;
  for (int i = 0; i < 9; ++i) idle_ns.push_back(timer.time([] {}).side_ns);
  std::sort(idle_ns.begin(), idle_ns.end());
  CHECK(idle_ns[4] == 0);
  // A short one, too, that begins with the call. This thread may lose its CPU now and then.
  CUevent begun = nullptr;
  REQUIRE(driver.event_create(&begun, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  const PinnedMemory words(gpu->context, 128);
  std::vector<double> seen_ns;
  for (int i = 0; i < 9; ++i) {
    const auto short_one = timer.time([&] {
      driver.event_record(begun, gpu->context.stream());
      driver.stream_wait_event(side, begun, 0);
      gpu->kernels.spin_on(side, words.device(), 20'000, 20'000, words.device() + 64);
    });
    seen_ns.push_back(short_one.device_ns + short_one.side_ns);
  }
  std::sort(seen_ns.begin(), seen_ns.end());
  CHECK(seen_ns[4] > 10'000);
  CHECK(seen_ns[4] < 40'000);
}
