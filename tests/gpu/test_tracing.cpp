#include <cstring>
#include <thread>

#include "cuda/library.h"
#include "gpu/gpu.h"
#include "tracing/cuda/copies.h"
#include "tracing/traced.h"

// What tracing does with values on a real device; tests/tracing/test_copies.cpp has more on an emulated one.
using namespace fib;
using device::cuda::DeviceMemory;
using testing::collect;
using testing::TracedDataset;
using tracing::Outcome;
using tracing::Tracing;

namespace {

constexpr std::int64_t kRows = 3 << 20;  // three times the page-locked buffer, in int64

// A stream of the program's own, and a call of "mixed" with all tensors on the device.
struct Program {
  explicit Program(testing::Gpu& gpu, std::int64_t n = kRows)
      : context(gpu.context),
        x(context, static_cast<std::uint64_t>(4 * n)),
        ids(context, static_cast<std::uint64_t>(8 * n)),
        small(context, static_cast<std::uint64_t>(n)),
        zero(context, 4),
        shape{n},
        tensors{view(x, tensor::DType::kFloat32), view(ids, tensor::DType::kInt64),
                view(small, tensor::DType::kInt8), view(small, tensor::DType::kBool),
                view(zero, tensor::DType::kInt32)} {
    tensors[4].ndim = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      values[i].kind = FIB_TENSOR;
      values[i].u.tensor = &tensors[i];
    }
    values[5] = testing::integer(7);
    values[6] = testing::real(0.5);
    values[7] = testing::boolean(true);
    context.check(driver().stream_create(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    fill(0x11);
    context.wait_for_all();
  }
  ~Program() { (void)driver().stream_destroy(stream); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] const cuda::Driver& driver() const { return context.driver(); }
  // Every byte of every tensor, on the program's stream.
  void fill(unsigned char byte) {
    for (const auto* memory : {&x, &ids, &small, &zero})
      context.check(driver().set_bytes(memory->data(), byte, memory->size(), stream), "cuMemsetD8Async");
  }
  [[nodiscard]] Outcome collect(Tracing& tracing) { return tracing.collect("mixed", values, 8, stream); }

  device::cuda::Context& context;
  DeviceMemory x, ids, small, zero;
  std::int64_t shape[1];
  CUstream stream = nullptr;
  fib_tensor tensors[5];
  fib_value values[8] = {};

 private:
  fib_tensor view(const DeviceMemory& memory, tensor::DType dtype) {
    const auto type = *tvm_ffi::data_type_of(dtype);
    fib_tensor tensor{};
    tensor.data = reinterpret_cast<void*>(memory.data());
    tensor.device_type = tvm_ffi::kCuda;
    tensor.device_id = context.ordinal();
    tensor.ndim = 1;
    tensor.dtype_code = type.code;
    tensor.dtype_bits = type.bits;
    tensor.dtype_lanes = type.lanes;
    tensor.shape = shape;
    return tensor;
  }
};

Tracing open(const TracedDataset& data, const char* config = R"({"input_dump_policy":"dump_all"})") {
  return Tracing(data.load(), tracing::parse_config(config));
}

double microseconds(std::chrono::steady_clock::duration took) {
  return std::chrono::duration<double, std::micro>(took).count();
}

bool all_are(const std::vector<std::int64_t>& values, std::int64_t expected) {
  return std::all_of(values.begin(), values.end(), [&](std::int64_t value) { return value == expected; });
}

// Functions of the driver that fib itself does not use.
struct MoreDriver {
  CUresult (*begin_capture)(CUstream, CUstreamCaptureMode) = nullptr;
  CUresult (*end_capture)(CUstream, CUgraph*) = nullptr;
  CUresult (*launch_host)(CUstream, CUhostFn, void*) = nullptr;

  MoreDriver() {
    std::string problem;
    const auto library = cuda::open_library("the CUDA driver", {"libcuda.so.1"}, problem);
    REQUIRE(library.find("cuStreamBeginCapture_v2", begin_capture));
    REQUIRE(library.find("cuStreamEndCapture", end_capture));
    REQUIRE(library.find("cuLaunchHostFunc", launch_host));
  }
};

// Holds a stream back until it is let go.
class Gate {
 public:
  explicit Gate(Program& program) : program_(program) {
    const CUhostFn wait = [](void* open) {
      while (!static_cast<std::atomic<bool>*>(open)->load()) std::this_thread::yield();
    };
    program.context.check(MoreDriver().launch_host(program.stream, wait, &is_open_), "cuLaunchHostFunc");
  }
  ~Gate() { open(); }
  void open() {
    is_open_ = true;
    program_.context.check(program_.driver().stream_synchronize(program_.stream), "cuStreamSynchronize");
  }

 private:
  Program& program_;
  std::atomic<bool> is_open_ = false;
};

}  // namespace

TEST_CASE("values are those that the stream had at the call, and the program does not wait", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const TracedDataset data;
  Program program(*gpu);
  auto tracing = open(data);
  {
    Gate gate(program);
    program.fill(0x22);  // queued before the call, so the call sees it
    const auto begin = std::chrono::steady_clock::now();
    CHECK(program.collect(tracing) == Outcome::kept);  // the stream has done none of it yet
    const auto took = std::chrono::steady_clock::now() - begin;
    WARN("the call took " << microseconds(took) << " us");
    program.fill(0x33);  // the program goes on with its memory
    gate.open();
  }
  tracing.flush();
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 1);
  const auto ids = data.values<std::int64_t>(workloads[0], "ids");
  CHECK(ids.size() == static_cast<std::size_t>(kRows));
  CHECK(all_are(ids, 0x2222222222222222));
  CHECK(data.values<std::int32_t>(workloads[0], "zero") == std::vector<std::int32_t>{0x22222222});
  CHECK(data.values<std::int8_t>(workloads[0], "bytes").back() == 0x22);
  CHECK(testing::statistics_of(tracing).at("device_bytes_held") == 0);
}

TEST_CASE("tensors of a call on the host and on the device are each copied by their own way", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const TracedDataset data;
  Program program(*gpu, 1000);
  auto tracing = open(data);
  testing::HostTensor ids(tensor::DType::kInt64, {1000});  // as an engine passes offsets
  std::fill_n(ids.data<std::int64_t>(), 1000, 5);
  program.values[1] = ids.value();
  {
    Gate gate(program);
    program.fill(0x22);
    CHECK(program.collect(tracing) == Outcome::kept);  // the stream has done none of it yet
    std::fill_n(ids.data<std::int64_t>(), 1000, 6);
    gate.open();
  }
  tracing.flush();
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 1);
  CHECK(all_are(data.values<std::int64_t>(workloads[0], "ids"), 5));
  CHECK(data.values<std::int8_t>(workloads[0], "bytes").back() == 0x22);
  CHECK(data.values<std::int32_t>(workloads[0], "zero") == std::vector<std::int32_t>{0x22222222});
}

TEST_CASE("values on another device than the stream's are copied in the stream's order", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const auto& driver = gpu->context.driver();
  int devices = 0;
  gpu->context.check(driver.device_count(&devices), "cuDeviceGetCount");
  if (devices < 2) {
    WARN("skipped: the machine has one GPU");
    return;
  }
  const int ordinal = gpu->context.ordinal() == 0 ? 1 : 0;
  const TracedDataset data;
  Program program(*gpu, 1000);
  CUcontext own = nullptr;
  CUcontext other = nullptr;
  CUdevice device = 0;
  CUdeviceptr memory = 0;
  gpu->context.check(driver.get_current(&own), "cuCtxGetCurrent");
  gpu->context.check(driver.device_get(&device, ordinal), "cuDeviceGet");
  gpu->context.check(driver.primary_retain(&other, device), "cuDevicePrimaryCtxRetain");
  gpu->context.check(driver.set_current(other), "cuCtxSetCurrent");
  gpu->context.check(driver.allocate(&memory, 8000), "cuMemAlloc");
  gpu->context.check(driver.set_bytes(memory, 0x66, 8000, nullptr), "cuMemsetD8Async");
  gpu->context.check(driver.synchronize(), "cuCtxSynchronize");
  gpu->context.check(driver.set_current(own), "cuCtxSetCurrent");
  program.tensors[1].data = reinterpret_cast<void*>(memory);
  program.tensors[1].device_id = ordinal;
  auto tracing = open(data);
  CHECK(program.collect(tracing) == Outcome::kept);
  tracing.flush();
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 1);
  CHECK(all_are(data.values<std::int64_t>(workloads[0], "ids"), 0x6666666666666666));
  CHECK(data.values<std::int8_t>(workloads[0], "bytes").back() == 0x11);
  (void)driver.free(memory);
}

TEST_CASE("a captured stream is not read, and its graph is whole", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const TracedDataset data;
  Program program(*gpu, 1000);
  Program other(*gpu, 2000);
  auto tracing = open(data);
  const MoreDriver more;
  // Global mode: whatever any thread does that is not allowed would end the capture.
  gpu->context.check(more.begin_capture(program.stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
                     "cuStreamBeginCapture");
  program.fill(0x44);
  CHECK(program.collect(tracing) == Outcome::captured);
  CHECK(other.collect(tracing) == Outcome::kept);  // on a stream that is not captured
  tracing.flush();
  program.fill(0x55);
  CUgraph graph = nullptr;
  CHECK(more.end_capture(program.stream, &graph) == CUDA_SUCCESS);
  CHECK(graph != nullptr);
  CHECK(program.collect(tracing) == Outcome::kept);
  tracing.flush();
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 2);
  CHECK(all_are(data.values<std::int64_t>(workloads[0], "ids"), 0x1111111111111111));
  CHECK(all_are(data.values<std::int64_t>(workloads[1], "ids"), 0x1111111111111111));  // nothing was replayed
}

TEST_CASE("the default stream is not read while another that it waits for is captured", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const TracedDataset data;
  Program program(*gpu, 1000);
  auto tracing = open(data);
  const MoreDriver more;
  CUstream blocking = nullptr;
  gpu->context.check(program.driver().stream_create(&blocking, CU_STREAM_DEFAULT), "cuStreamCreate");
  gpu->context.check(more.begin_capture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED), "cuStreamBeginCapture");
  CHECK(tracing.collect("mixed", program.values, 8, nullptr) == Outcome::captured);
  CUgraph graph = nullptr;
  CHECK(more.end_capture(blocking, &graph) == CUDA_SUCCESS);
  CHECK(tracing.collect("mixed", program.values, 8, nullptr) == Outcome::kept);
  tracing.flush();
  CHECK(data.workloads("mixed").size() == 1);
  (void)program.driver().stream_destroy(blocking);
}

TEST_CASE("many calls on a device go through a limited memory", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const TracedDataset data;
  Program program(*gpu, 100000);  // 1.4 MB a call
  auto tracing = open(
      data,
      R"({"default":{"input_dump_policy":"dump_all","filter_policy":"keep_all"},"device_bytes":6000000})");
  std::size_t kept = 0;
  for (int i = 0; i < 100; ++i) {
    const Outcome outcome = program.collect(tracing);
    CHECK((outcome == Outcome::kept || outcome == Outcome::no_room));
    kept += outcome == Outcome::kept ? 1 : 0;
  }
  tracing.flush();
  CHECK(kept >= 4);
  CHECK(data.workloads("mixed").size() == kept);
}

TEST_CASE("what a call on a device costs", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const TracedDataset data;
  Program program(*gpu, 1000);
  auto tracing = open(data);
  (void)program.collect(tracing);
  constexpr int kCalls = 100000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) (void)program.collect(tracing);
  const auto took = std::chrono::steady_clock::now() - begin;
  WARN("a call that is passed over takes " << microseconds(took) / kCalls << " us");
  CHECK(microseconds(took) / kCalls < 1);
  auto keeping = open(data, R"({"input_dump_policy":"dump_all","filter_policy":"keep_all"})");
  (void)program.collect(keeping);
  keeping.flush();
  const auto first = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) CHECK(program.collect(keeping) == Outcome::kept);
  const auto keeping_took = std::chrono::steady_clock::now() - first;
  WARN("a call that is kept takes " << microseconds(keeping_took) / 20 << " us");
  keeping.flush();
}
