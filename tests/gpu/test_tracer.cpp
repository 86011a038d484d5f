#include <thread>

#include "cuda/cupti.h"
#include "device/cuda/timer.h"
#include "device/cuda/tracer.h"
#include "gpu/gpu.h"

using namespace fib;
using device::cuda::TraceKind;
using device::cuda::Tracer;

// All in one test: a process has one CUPTI session, and it should not outlive the tests that need it.
TEST_CASE("the tracer tells what a call makes the device do", "[gpu][cupti]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  auto& context = gpu->context;
  const auto& driver = context.driver();
  const device::cuda::PinnedMemory words(context, 128);
  const device::cuda::DeviceMemory memory(context, 1 << 20);
  const auto spin = [&](std::uint64_t ns) { gpu->kernels.spin(words.device(), ns, ns, words.device() + 64); };
  device::cuda::ApiWatcher watcher(context);
  {
    Tracer tracer(context, watcher);
    const auto traced = [&](TraceKind kind, const std::function<void()>& work) {
      tracer.start(kind);
      auto trace = tracer.call(work);
      CHECK(tracer.finish() == trace.orphans);
      return trace;
    };
    for (const TraceKind kind : {TraceKind::kOneAtATime, TraceKind::kConcurrent}) {
      const auto trace = traced(kind, [&] {
        spin(50'000);
        spin(30'000);
        driver.set_bytes(memory.data(), 0, 1000, context.stream());
      });
      CHECK(trace.kernels == 2);
      CHECK(trace.copies == 1);
      CHECK(trace.streams == 1);
      CHECK(trace.orphans == 0);
      CHECK(trace.missing == 0);
      CHECK(trace.dropped == 0);
      CHECK(trace.busy_ns > 79'000);
      CHECK(trace.busy_ns < 95'000);
      CHECK(trace.span_ns >= trace.busy_ns);
      CHECK(trace.span_ns < 10'000'000);  // the host is between the launches
    }

    CUstream side = nullptr;
    REQUIRE(driver.stream_create(&side, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    const auto two = traced(TraceKind::kConcurrent, [&] {
      spin(50'000);
      driver.set_bytes(memory.data(), 0, 1 << 20, side);
    });
    CHECK(two.streams == 2);
    const auto aside =
        traced(TraceKind::kConcurrent, [&] { driver.set_bytes(memory.data(), 0, 1 << 20, side); });
    CHECK(aside.streams == 1);

    // Another thread's work is not the call's.
    const auto orphan = traced(TraceKind::kConcurrent, [&] {
      spin(20'000);
      std::thread([&] { driver.set_bytes(memory.data(), 0, 1000, side); }).join();
    });
    CHECK(orphan.orphans + orphan.dropped == 1);

    // What is done around the call: fib's own work is known, that of anyone else is not, on this thread or
    // another.
    const auto set = [&] { driver.set_bytes(memory.data(), 0, 1000, side); };
    tracer.start(TraceKind::kOneAtATime);
    tracer.own(set);
    CHECK(tracer.call([&] { spin(20'000); }).kernels == 1);
    tracer.own([&] { spin(20'000); });
    CHECK(tracer.finish() == 0);
    for (const bool before : {true, false}) {
      tracer.start(TraceKind::kOneAtATime);
      if (before) std::thread(set).join();
      CHECK(tracer.call([&] { spin(20'000); }).orphans == (before ? 1 : 0));
      if (!before) set();
      CHECK(tracer.finish() == 1);
    }
    set();
    CHECK(tracer.finish() == 0);

    // Anybody in the process may switch records off; who asks the driver for work is seen all the same.
    const auto cupti = cuda::Cupti::open();
    for (const bool by_thread : {true, false}) {
      tracer.start(TraceKind::kOneAtATime);
      for (const auto kind : {CUPTI_ACTIVITY_KIND_KERNEL, CUPTI_ACTIVITY_KIND_MEMSET}) cupti.disable(kind);
      if (by_thread) std::thread(set).join();
      if (!by_thread) set();
      const auto unrecorded = tracer.call([&] { spin(20'000); });
      CHECK(unrecorded.kernels == 0);
      CHECK(unrecorded.missing == 1);
      CHECK(tracer.finish() == 1);
    }
    // Also within the call, for one of its launches.
    tracer.start(TraceKind::kOneAtATime);
    const auto half = tracer.call([&] {
      spin(20'000);
      cupti.disable(CUPTI_ACTIVITY_KIND_KERNEL);
      spin(20'000);
      cupti.enable(CUPTI_ACTIVITY_KIND_KERNEL);
    });
    CHECK(half.kernels == 1);
    CHECK(half.missing == 1);
    CHECK(tracer.finish() == 0);
    // Where nobody listens, the work of whoever is not fib is counted, on this thread too.
    (void)watcher.take_unheard();
    set();
    CHECK(watcher.take_unheard() == 1);
    std::thread(set).join();
    CHECK(watcher.take_unheard() == 1);
    {
      const device::cuda::OwnWork own;
      set();
      CHECK(watcher.take_unheard() == 0);
      std::thread(set).join();
      CHECK(watcher.take_unheard() == 1);
    }
    tracer.own(set);
    CHECK(watcher.take_unheard() == 0);

    const auto nothing = traced(TraceKind::kConcurrent, [] {});
    CHECK(nothing.kernels == 0);

    // With every kind of record disabled again, events read what they read without CUPTI.
    device::cuda::Timer timer(context, gpu->kernels);
    const auto after = timer.time([&] { spin(50'000); });
    CHECK(after.device_ns > 49'000);
    CHECK(after.device_ns < 55'000);
  }
  // With one small buffer for ten thousand kernels records are lost, and the tracer knows.
  Tracer small(context, watcher, {16 * 1024, 1});
  small.start(TraceKind::kConcurrent);
  const auto lost = small.call([&] {
    for (int i = 0; i < 10'000; ++i) gpu->kernels.poison(0, memory.data(), 64);
  });
  CHECK(lost.dropped > 0);
  CHECK(lost.kernels + lost.dropped >= 10'000);
  CHECK(small.finish() == 0);
}
