#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include "device/cuda/api_effect.h"
#include "device/cuda/segment_recorder.h"
#include "device/cuda/segments.h"

using fib::device::cuda::ApiCall;
using fib::device::cuda::device_time;
using fib::device::cuda::Effect;
using fib::device::cuda::effect_of;
using fib::device::cuda::SegmentRecorder;
using fib::device::cuda::span_of;
using Threads = SegmentRecorder::Threads;

namespace {

CUstream stream_number(std::uintptr_t number) { return reinterpret_cast<CUstream>(number); }  // NOLINT

const CUstream kMain = stream_number(16);
const CUstream kSide = stream_number(32);      // waits for no other
const CUstream kBlocking = stream_number(48);  // waits for the default stream

// A device whose clock the test moves: an event has the time at which it was recorded. It is done with what
// was queued once the spins are released and the test says so.
struct Device {
  double now_us = 0;
  bool released = false;
  bool is_idle = false;
  CUstream captured = nullptr;
  std::vector<CUstream> spins;
  std::map<std::size_t, double> recorded_us;
  std::size_t events = 0;
};
Device* device = nullptr;  // of the test that runs

std::size_t number_of(CUevent event) { return reinterpret_cast<std::size_t>(event); }

fib::cuda::Driver make_driver() {
  fib::cuda::Driver driver;
  driver.event_create = [](CUevent* event, unsigned) {
    *event = reinterpret_cast<CUevent>(++device->events);  // NOLINT
    return CUDA_SUCCESS;
  };
  driver.event_destroy = [](CUevent) { return CUDA_SUCCESS; };
  driver.event_record = [](CUevent event, CUstream) {
    device->recorded_us[number_of(event)] = device->now_us;
    return CUDA_SUCCESS;
  };
  driver.event_query = [](CUevent) {
    return device->released && device->is_idle ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  };
  driver.event_synchronize = [](CUevent) { return CUDA_SUCCESS; };
  driver.event_elapsed = [](float* ms, CUevent begin, CUevent end) {
    *ms = static_cast<float>(device->recorded_us.at(number_of(end)) -
                             device->recorded_us.at(number_of(begin))) /
          1000;
    return CUDA_SUCCESS;
  };
  driver.stream_flags = [](CUstream stream, unsigned* flags) {
    *flags = stream == kBlocking ? 0 : CU_STREAM_NON_BLOCKING;
    return CUDA_SUCCESS;
  };
  driver.stream_is_capturing = [](CUstream stream, CUstreamCaptureStatus* status) {
    *status = stream == device->captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
  return driver;
}

// A call of the driver by the call that is timed, as CUPTI tells it.
struct Call {
  CUstream main;
  Device machine;
  fib::cuda::Driver driver = make_driver();
  SegmentRecorder recorder{driver,
                           main,
                           {[](CUstream stream) {
                              device->spins.push_back(stream);
                              return CUDA_SUCCESS;
                            },
                            [](bool released) { device->released = released; }, 5'000'000}};

  explicit Call(CUstream main_stream = kMain, Threads threads = Threads::kOne) : main(main_stream) {
    device = &machine;
    recorder.start(threads);
  }
  ~Call() { device = nullptr; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void tell(Effect effect, CUstream stream = nullptr, CUresult result = CUDA_SUCCESS) {
    ApiCall call;
    call.effect = effect;
    call.stream = stream;
    recorder.before(call);
    call.result = result;
    recorder.after(call);
  }
  // Work that takes so long.
  void work(CUstream stream, double us) {
    tell(Effect::kWork, stream);
    machine.now_us += us;
    machine.is_idle = false;
  }
  void wait() {
    ApiCall call;
    call.effect = Effect::kWait;
    recorder.before(call);
    machine.is_idle = true;
    recorder.after(call);
  }
  SegmentRecorder::Result finish() {
    recorder.release();
    machine.is_idle = true;
    return recorder.finish();
  }
};

}  // namespace

TEST_CASE("a segment lasts from the first stream's begin to the last one's end") {
  CHECK(span_of({}) == 0);
  CHECK(span_of({{0, 10}}) == 10);
  CHECK(span_of({{5, 10}, {0, 7}, {6, 30}}) == 30);
  CHECK(span_of({{0, 10}, {-4, -1}}) == 14);
}

TEST_CASE(
    "a call's time is the sum of its segments, each less an empty pair, and what the host did for long") {
  CHECK(device_time({}, 1280) == 0);
  CHECK(device_time({{3280, 0}}, 1280) == 2000);
  CHECK(device_time({{3280, 0}, {4280, 99'000}}, 1280) == 5000);
  CHECK(device_time({{3280, 0}, {4280, 60'000}, {2280, 70'000}}, 1280) == 36'000);
}

TEST_CASE("the driver's functions are told apart by their names") {
  for (const char* name :
       {"cuLaunchKernel", "cuLaunchKernelEx_ptsz", "cuGraphLaunch", "cuMemsetD8_v2", "cuMemcpyDtoDAsync_v2",
        "cuMemcpyDtoD_v2_ptds", "cuLaunchHostFunc", "cuStreamWriteValue32_v2", "cuMemcpyPeerAsync"}) {
    INFO(name);
    CHECK(effect_of(name) == Effect::kWork);
  }
  for (const char* name : {"cuMemcpyDtoH_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpy", "cuMemcpy2DAsync_v2"}) {
    INFO(name);
    CHECK(effect_of(name) == Effect::kCopy);
  }
  for (const char* name : {"cuCtxSynchronize_v2", "cuStreamSynchronize", "cuEventSynchronize", "cuMemFree_v2",
                           "cuMemAlloc_v2", "cuModuleLoadData", "cuGraphInstantiateWithFlags",
                           "cuCtxSetLimit", "cuSomethingNew", "cuGraphicsMapResources_v9", "cuMemFreeHost"}) {
    INFO(name);
    CHECK(effect_of(name) == Effect::kWait);
  }
  for (const char* name : {"cuCtxGetCurrent", "cuKernelGetName", "cuPointerGetAttribute", "cuEventCreate",
                           "cuDevicePrimaryCtxGetState", "cuStreamIsCapturing", "cuGraphAddKernelNode",
                           "cuTensorMapEncodeTiled", "cuMemGetInfo_v2", "cuFuncSetAttribute"}) {
    INFO(name);
    CHECK(effect_of(name) == Effect::kNone);
  }
  CHECK(effect_of("cuEventRecordWithFlags") == Effect::kOrder);
  CHECK(effect_of("cuStreamWaitEvent_ptsz") == Effect::kOrder);
  CHECK(effect_of("cuMemAllocAsync") == Effect::kOrder);
  CHECK(effect_of("cuStreamQuery") == Effect::kAsk);
  CHECK(effect_of("cuStreamDestroy_v2") == Effect::kForget);
  CHECK(effect_of("cuStreamBeginCapture_v2") == Effect::kBeginCapture);
  CHECK(effect_of("cuStreamEndCapture") == Effect::kEndCapture);
}

TEST_CASE("a plain call is one segment behind the spin that is there") {
  Call call;
  call.machine.now_us = 100;  // waiting for the host
  call.work(kMain, 5);
  call.work(kMain, 6);
  const auto result = call.finish();
  REQUIRE(result.segments.size() == 1);
  CHECK(result.segments[0].span_ns == Approx(11'000));
  CHECK(result.segments[0].host_ns == 0);
  CHECK(result.covered);
  CHECK(call.machine.spins.empty());
}

TEST_CASE("each wait inside ends a segment, and the next has a spin of its own") {
  Call call;
  call.work(kMain, 5);
  call.wait();
  call.machine.now_us += 1000;  // the host, while the device has nothing to do
  call.work(kMain, 6);
  call.wait();
  call.wait();
  const auto result = call.finish();
  REQUIRE(result.segments.size() == 2);
  CHECK(result.segments[0].span_ns == Approx(5000));
  CHECK(result.segments[1].span_ns == Approx(6000));
  CHECK(call.machine.spins == std::vector<CUstream>{kMain});
}

TEST_CASE("what the host does between two segments is told") {
  Call call;
  call.work(kMain, 5);
  call.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  call.work(kMain, 6);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const auto result = call.finish();
  REQUIRE(result.segments.size() == 2);
  CHECK(result.segments[0].host_ns == 0);
  CHECK(result.segments[1].host_ns >= 5e6);
}

TEST_CASE("what the host does when a spin has given up is in the segment, not counted twice") {
  Call call;
  call.work(kMain, 5);
  call.wait();
  call.work(kMain, 6);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(call.finish().segments.at(1).host_ns < 6e6);
}

TEST_CASE("a side stream counts from its own first work, held back by its own spin") {
  Call call;
  call.tell(Effect::kOrder, kMain);  // an event
  call.tell(Effect::kOrder, kSide);  // waited for
  call.machine.now_us += 50;
  call.work(kSide, 5);
  call.machine.now_us -= 5;
  call.work(kMain, 8);
  const auto result = call.finish();
  REQUIRE(result.segments.size() == 1);
  // The main stream was used before, so its begin is that of then.
  CHECK(result.segments[0].span_ns == Approx(58'000));
  CHECK(call.machine.spins == std::vector<CUstream>{kSide});

  Call alone;
  alone.tell(Effect::kOrder, kMain);
  alone.tell(Effect::kOrder, kSide);
  alone.machine.now_us += 50;
  alone.work(kSide, 5);
  alone.tell(Effect::kOrder, kSide);
  alone.tell(Effect::kOrder, kMain);
  CHECK(alone.finish().segments.at(0).span_ns == Approx(5000));
}

TEST_CASE("streams that wait for the default stream are held back there") {
  Call call;
  call.work(kBlocking, 5);
  call.work(CU_STREAM_LEGACY, 5);
  call.work(CU_STREAM_PER_THREAD, 5);
  CHECK(call.machine.spins == std::vector<CUstream>{CU_STREAM_LEGACY});
  CHECK(call.finish().segments.at(0).span_ns == Approx(15'000));
}

TEST_CASE("work that is not in order with the main stream's is told") {
  const auto is_told = [](CUstream main, std::initializer_list<CUstream> worked, bool is_copy = false) {
    Call call(main);
    for (const auto stream : worked) call.tell(is_copy ? Effect::kOrder : Effect::kWork, stream);
    return call.finish().used_other_streams;
  };
  CHECK_FALSE(is_told(kMain, {kMain, kMain}));
  CHECK(is_told(kMain, {kMain, kSide}));
  CHECK(is_told(kMain, {kBlocking}));  // of the default stream's order
  CHECK(is_told(kMain, {CU_STREAM_LEGACY}));
  CHECK_FALSE(is_told(kMain, {kSide}, true));  // an event is no work
  CHECK_FALSE(is_told(CU_STREAM_LEGACY, {CU_STREAM_LEGACY, kBlocking, CU_STREAM_PER_THREAD}));
  CHECK(is_told(CU_STREAM_LEGACY, {CU_STREAM_LEGACY, kSide}));
}

TEST_CASE("a stream that is captured is left alone") {
  Call call;
  call.machine.captured = kSide;
  call.tell(Effect::kBeginCapture, kSide);
  call.work(kSide, 5);
  call.tell(Effect::kEndCapture, kSide);
  call.machine.captured = nullptr;
  CHECK(call.machine.events == 2);  // those of the stream that was there at the start
  CHECK(call.machine.recorded_us.empty());
  call.work(kMain, 7);
  CHECK(call.finish().segments.at(0).span_ns == Approx(7000));
}

TEST_CASE("work behind a capture that another thread ends has a time") {
  Call call;
  call.work(kMain, 3);
  call.wait();
  call.tell(Effect::kBeginCapture, kSide);
  std::thread([&] { call.tell(Effect::kEndCapture, kSide); }).join();
  call.work(kMain, 7);
  const auto result = call.finish();
  REQUIRE(result.segments.size() == 2);
  CHECK(result.segments[1].span_ns == Approx(7000));
  CHECK_FALSE(result.is_unfinished);
}

TEST_CASE("work whose end the device does not reach is told") {
  Call call;
  call.work(kMain, 3);
  call.recorder.release();
  CHECK(call.recorder.finish().is_unfinished);
}

TEST_CASE("who records an event of the recorder is told") {
  for (const std::uintptr_t number : {1, 2, 9}) {
    Call call;
    call.work(kMain, 3);
    ApiCall record;
    record.effect = Effect::kOrder;
    record.stream = kMain;
    record.event = reinterpret_cast<CUevent>(number);  // NOLINT
    call.recorder.before(record);
    call.recorder.after(record);
    CHECK(call.finish().records_own_event == (number != 9));
  }
}

TEST_CASE("who asks again and again whether the device is ready is let through") {
  Call call;
  call.work(kMain, 5);
  call.tell(Effect::kAsk, nullptr, CUDA_ERROR_NOT_READY);
  call.tell(Effect::kAsk, nullptr, CUDA_ERROR_NOT_READY);
  CHECK_FALSE(call.machine.released);
  call.tell(Effect::kAsk, nullptr, CUDA_ERROR_NOT_READY);
  CHECK(call.machine.released);
  call.machine.is_idle = true;
  call.tell(Effect::kAsk);
  call.work(kMain, 6);
  CHECK(call.finish().segments.size() == 2);
}

TEST_CASE("a stream that is destroyed ends there") {
  Call call;
  call.work(kSide, 5);
  call.tell(Effect::kForget, kSide);
  call.machine.now_us += 100;
  CHECK(call.finish().segments.at(0).span_ns == Approx(5000));
}

TEST_CASE("a copy that may block is in the segment that it ends") {
  Call call;
  call.work(kMain, 5);
  ApiCall copy;
  copy.effect = Effect::kCopy;
  copy.stream = kMain;
  call.recorder.before(copy);
  CHECK(call.machine.released);
  call.machine.now_us += 9;
  call.machine.is_idle = true;
  call.recorder.after(copy);
  const auto result = call.finish();
  REQUIRE(result.segments.size() == 1);
  CHECK(result.segments[0].span_ns == Approx(14'000));
}

TEST_CASE("work that runs on when the host has waited stays in its segment") {
  Call call;
  call.work(kMain, 5);
  call.tell(Effect::kWait);  // for something else
  call.work(kMain, 6);
  const auto result = call.finish();
  REQUIRE(result.segments.size() == 1);
  CHECK(result.segments[0].span_ns == Approx(11'000));
}

TEST_CASE("after six segments the rest is one, gaps of the host included") {
  Call call;
  for (int i = 0; i < 20; ++i) {
    call.work(kMain, 5);
    call.wait();
    call.machine.now_us += 1000;
  }
  const auto result = call.finish();
  REQUIRE(result.segments.size() == 7);
  CHECK(result.segments[5].span_ns == Approx(5000));
  CHECK(result.segments[6].span_ns == Approx(14 * 5000 + 13 * 1'000'000));
}

TEST_CASE("work of other threads, contexts and unknown streams is told") {
  Call call;
  call.work(kMain, 5);
  std::thread([&] { call.tell(Effect::kWork, kSide); }).join();
  ApiCall elsewhere;
  elsewhere.effect = Effect::kWork;
  elsewhere.in_this_context = false;
  call.recorder.before(elsewhere);
  ApiCall unknown;
  unknown.effect = Effect::kWork;
  unknown.knows_stream = false;
  call.recorder.before(unknown);
  const auto result = call.finish();
  CHECK(result.orphans == 1);
  CHECK(result.has_foreign_work);
  CHECK(result.has_unknown_stream);
  CHECK(result.segments.size() == 1);
}

TEST_CASE("work of another thread is an orphan, or the call's own where all threads are") {
  {
    Call call;
    std::thread([&] { call.work(kMain, 5); }).join();
    const auto result = call.finish();
    CHECK(result.orphans == 1);
    CHECK(result.segments.empty());
  }
  Call call(kMain, Threads::kAll);
  call.work(kMain, 3);
  std::thread([&] {
    call.work(kMain, 5);
    call.wait();
    call.work(kMain, 7);
  }).join();
  const auto result = call.finish();
  CHECK(result.orphans == 0);
  REQUIRE(result.segments.size() == 2);
  CHECK(result.segments[0].span_ns == Approx(8000));
  CHECK(result.segments[1].span_ns == Approx(7000));
}

TEST_CASE("another thread that waits lets the device go") {
  Call call;
  call.work(kMain, 5);
  std::thread([&] { call.tell(Effect::kWait); }).join();
  CHECK(call.machine.released);
}

TEST_CASE("a call without work has no segment, and the recorder serves the next call") {
  Call call;
  call.wait();
  CHECK(call.finish().segments.empty());
  call.recorder.start(Threads::kOne);
  call.machine.released = call.machine.is_idle = false;
  call.work(kMain, 5);
  CHECK(call.finish().segments.size() == 1);
}
