#include <thread>

#include "cuda/library.h"
#include "device/cuda/segment_timer.h"
#include "device/cuda/tracer.h"
#include "gpu/gpu.h"

using namespace fib;
using device::cuda::PinnedMemory;
using device::cuda::SegmentTimer;
using device::cuda::Timer;
using device::cuda::TraceKind;
using device::cuda::Tracer;

namespace {

constexpr double kWorkNs = 50'000;
constexpr double kNearNs = 1000;

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

// All in one test: a process has one CUPTI subscriber.
TEST_CASE("work reads the same however it is queued and waited for", "[gpu][cupti]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  auto& context = gpu->context;
  const auto& driver = context.driver();
  const PinnedMemory words(context, 128);
  const auto work = [&](CUstream stream) {
    gpu->kernels.spin_on(stream, words.device(), static_cast<std::uint64_t>(kWorkNs),
                         static_cast<std::uint64_t>(kWorkNs), words.device() + 64);
  };
  CUstream side = nullptr;
  CUstream blocking = nullptr;
  REQUIRE(driver.stream_create(&side, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  REQUIRE(driver.stream_create(&blocking, CU_STREAM_DEFAULT) == CUDA_SUCCESS);
  CUevent before = nullptr;
  CUevent after = nullptr;
  REQUIRE(driver.event_create(&before, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  REQUIRE(driver.event_create(&after, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  const CUstream own = context.stream();

  Timer timer(context, gpu->kernels);
  device::cuda::ApiWatcher watcher(context);
  Tracer tracer(context, watcher);
  SegmentTimer segments(context, gpu->kernels, timer, watcher);
  const auto time = [&](const std::function<void()>& call, std::uint32_t wanted_segments) {
    std::vector<double> device_ns;
    std::vector<double> side_ns;  // more than 0 now and then: when this thread did not run meanwhile
    for (int i = 0; i < 9; ++i) {
      const auto timing = segments.time(call);
      CHECK(timing.covered);
      CHECK(timing.segments == wanted_segments);
      CHECK(timing.clock_mhz > 200);
      device_ns.push_back(timing.device_ns);
      side_ns.push_back(timing.side_ns);
    }
    CHECK(middle_of(side_ns) == 0);
    return middle_of(device_ns);
  };
  std::vector<double> plain;
  for (int i = 0; i < 9; ++i) plain.push_back(timer.time([&] { work(own); }).device_ns);
  const double truth = middle_of(plain);
  CHECK(std::abs(truth - kWorkNs) < 3000);

  CHECK(std::abs(time([&] { work(own); }, 1) - truth) < kNearNs);
  CHECK(std::abs(time([&] { work(own), context.wait(); }, 1) - truth) < kNearNs);
  CHECK(std::abs(time([&] { work(own), context.wait_for_all(); }, 1) - truth) < kNearNs);
  CHECK(std::abs(time([&] { work(side), driver.stream_synchronize(side); }, 1) - truth) < kNearNs);
  CHECK(std::abs(time([&] { work(side); }, 1) - truth) < kNearNs);
  CHECK(std::abs(time([&] { work(CU_STREAM_LEGACY); }, 1) - truth) < kNearNs);
  CHECK(std::abs(time([&] { work(CU_STREAM_PER_THREAD); }, 1) - truth) < kNearNs);
  CHECK(std::abs(time([&] { work(blocking), driver.stream_synchronize(blocking); }, 1) - truth) < kNearNs);
  const auto joined = [&] {
    driver.event_record(before, own);
    driver.stream_wait_event(side, before, 0);
    work(side);
    driver.event_record(after, side);
    driver.stream_wait_event(own, after, 0);
  };
  CHECK(std::abs(time(joined, 1) - truth) < kNearNs);
  const auto polls = [&] {
    work(own);
    driver.event_record(after, own);
    while (driver.event_query(after) == CUDA_ERROR_NOT_READY) {
    }
  };
  CHECK(std::abs(time(polls, 1) - truth) < kNearNs);
  // Two pieces with a wait between, on one stream and on two; two streams at once.
  CHECK(std::abs(time([&] { work(own), context.wait(), work(own); }, 2) - 2 * truth) < 2 * kNearNs);
  CHECK(std::abs(time([&] { work(own), context.wait(), work(side), context.wait_for_all(); }, 2) -
                 2 * truth) < 2 * kNearNs);
  CHECK(std::abs(time([&] { work(own), work(side); }, 1) - truth) < 10'000);
  // A stream that is gone when the call returns.
  const auto destroys = [&] {
    CUstream fresh = nullptr;
    driver.stream_create(&fresh, CU_STREAM_NON_BLOCKING);
    work(fresh);
    driver.stream_destroy(fresh);
  };
  CHECK(std::abs(time(destroys, 1) - truth) < kNearNs);

  // What the host computes between two segments is time when it takes long; before the first it is not.
  const auto sleeps = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    work(own);
    context.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    work(own);
  };
  CHECK(time(sleeps, 2) > 2e6 - device::cuda::kFreeHostNs);
  CHECK(time(sleeps, 2) < 2.5e6);

  // Many waits: the rest is one segment.
  const auto often = segments.time([&] {
    for (int i = 0; i < 40; ++i) work(own), context.wait();
  });
  CHECK(often.segments == 7);
  CHECK(often.device_ns > 40 * (truth - kNearNs));

  CHECK(segments.time([] {}).device_ns == 0);
  CHECK_THROWS_WITH(
      segments.time([&] {
        std::thread([&] {
          driver.set_current(context.handle());
          work(side);
        }).join();
      }),
      Catch::Matchers::Contains("1 pieces of work on the device were not launched by the call"));
  CHECK(std::abs(time([&] { work(own); }, 1) - truth) < kNearNs);  // after an error too

  // Both of CUPTI's interfaces in one process: records as before, and events as before.
  tracer.start(TraceKind::kConcurrent);
  const auto traced = tracer.call([&] { work(own), context.wait(), work(side); });
  CHECK(traced.kernels == 2);
  CHECK(traced.streams == 2);
  CHECK(tracer.finish() == 0);
  CHECK(std::abs(time([&] { work(own); }, 1) - truth) < kNearNs);

  // Events that a graph will record are known by the node that is made for them.
  const auto is = [](CUevent wanted) { return [wanted](CUevent event) { return event == wanted; }; };
  std::string problem;
  const auto library = cuda::open_library("the CUDA driver", {"libcuda.so.1"}, problem);
  decltype(&cuGraphCreate) graph_create = nullptr;
  decltype(&cuGraphDestroy) graph_destroy = nullptr;
  decltype(&cuGraphAddEventRecordNode) add_record_node = nullptr;
  decltype(&cuGraphEventRecordNodeSetEvent) set_event = nullptr;
  REQUIRE(library.find("cuGraphCreate", graph_create));
  REQUIRE(library.find("cuGraphDestroy", graph_destroy));
  REQUIRE(library.find("cuGraphAddEventRecordNode", add_record_node));
  REQUIRE(library.find("cuGraphEventRecordNodeSetEvent", set_event));
  CUevent third = nullptr;
  REQUIRE(driver.event_create(&third, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  REQUIRE(graph_create(&graph, 0) == CUDA_SUCCESS);
  CHECK_FALSE(watcher.graphs_record(is(before)));
  REQUIRE(add_record_node(&node, graph, nullptr, 0, before) == CUDA_SUCCESS);
  CHECK(watcher.graphs_record(is(before)));
  CHECK_FALSE(watcher.graphs_record(is(after)));
  REQUIRE(set_event(node, after) == CUDA_SUCCESS);
  CHECK(watcher.graphs_record(is(after)));
#if CUDA_VERSION >= 12020
  decltype(&cuGraphNodeSetParams) set_parameters = nullptr;
  REQUIRE(library.find("cuGraphNodeSetParams", set_parameters));
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  parameters.eventRecord.event = third;
  CHECK_FALSE(watcher.graphs_record(is(third)));
  REQUIRE(set_parameters(node, &parameters) == CUDA_SUCCESS);
  CHECK(watcher.graphs_record(is(third)));
#endif
  CHECK(segments.time([&] { work(own); }).device_ns > 0);  // none of them is the clock's
  CHECK(graph_destroy(graph) == CUDA_SUCCESS);
  // By a stream that is captured as well.
  decltype(&cuStreamBeginCapture_v2) begin_capture = nullptr;
  decltype(&cuStreamEndCapture) end_capture = nullptr;
  decltype(&cuEventRecordWithFlags) record_with_flags = nullptr;
  REQUIRE(library.find("cuStreamBeginCapture_v2", begin_capture));
  REQUIRE(library.find("cuStreamEndCapture", end_capture));
  REQUIRE(library.find("cuEventRecordWithFlags", record_with_flags));
  CUevent captured = nullptr;
  REQUIRE(driver.event_create(&captured, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
  REQUIRE(begin_capture(side, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
  REQUIRE(record_with_flags(captured, side, CU_EVENT_RECORD_EXTERNAL) == CUDA_SUCCESS);
  CUgraph from_capture = nullptr;
  REQUIRE(end_capture(side, &from_capture) == CUDA_SUCCESS);
  CHECK(watcher.graphs_record(is(captured)));
  CHECK(graph_destroy(from_capture) == CUDA_SUCCESS);
  // Another event may get the handle of one that is gone.
  CHECK(driver.event_destroy(captured) == CUDA_SUCCESS);
  CHECK_FALSE(watcher.graphs_record(is(captured)));
  CHECK(driver.event_destroy(third) == CUDA_SUCCESS);
}
