#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "apply/build.h"
#include "apply/results.h"
#include "apply/runtime.h"
#include "cuda/current_context.h"
#include "gpu/gpu.h"
#include "support/places.h"
#include "support/tvm_ffi.h"
#include "tvm_ffi/abi.h"

using namespace fib;
using device::cuda::DeviceMemory;

namespace {

const char* kKernel = R"(
extern "C" __global__ void run(const float* a, const float* b, float* c, long long n) {
  long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + 100;
}
)";

// The second kernel reads what the first has left in the workspace.
const char* kTwoKernels = R"(
extern "C" __global__ void first(const float* a, float* kept, long long n) {
  long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) kept[i] = a[i] + 200;
}
extern "C" __global__ void second(const float* kept, const float* b, float* c, int n) {
  long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = kept[i] + b[i];
}
)";

const char* kHost = R"(
#include <cstdint>
#include <cuda_runtime.h>
__global__ void add(const float* a, const float* b, float* c, int64_t n) {
  int64_t i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + 300;
}
extern "C" int run(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream) {
  add<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, b, c, n);
  return cudaGetLastError();
}
)";

// By TVM-FFI's convention: c = a + b + 400, in memory of the environment's, returned.
const std::string kReturning = testing::kTvmFfiDeclarations + R"(
#include <cuda_runtime.h>
extern "C" void* TVMFFIEnvGetStream(int32_t, int32_t);
__global__ void add(const float* a, const float* b, float* c, int64_t n) {
  int64_t i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + 400;
}
int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {
  const View *a = &args[0].t->view, *b = &args[1].t->view;
  View prototype = *a;
  void* made = 0;
  if (TVMFFIEnvTensorAlloc(&prototype, &made) != 0) return -1;
  const int64_t n = a->shape[0];
  cudaStream_t stream = (cudaStream_t)TVMFFIEnvGetStream(a->device[0], a->device[1]);
  add<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>((float*)a->data, (float*)b->data,
                                                       (float*)((Tensor*)made)->view.data, n);
  result->type = 70;
  result->p = made;
  return 0;
}
)";

const nlohmann::ordered_json kLaunch = {{"launch", {{"grid", "ceil_div(n, 256)"}, {"block", 256}}}};
const nlohmann::ordered_json kTwoLaunches = {
    {"launch",
     {{{"kernel", "first"}, {"grid", "ceil_div(n, 256)"}, {"block", 256}, {"args", {"a", "kept", "n"}}},
      {{"kernel", "second"},
       {"grid", "ceil_div(n, 256)"},
       {"block", 256},
       {"args", {"kept", "b", "c", "n"}}}}},
    {"workspace", {{"kept", "4 * n"}}}};

// Functions that only this test needs.
template <typename Function>
Function driver_function(const char* name) {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto* function = driver == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(driver, name));
  if (function == nullptr) throw Error("the driver has no {}", name);
  return function;
}

// "add" over n elements on the GPU: a[i] = i, b[i] = 1.
struct GpuCall {
  GpuCall(testing::Gpu& device, std::int64_t count) : gpu(device), n(count) {
    std::vector<float> numbers(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
    a = gpu.upload(numbers.data(), bytes());
    std::fill(numbers.begin(), numbers.end(), 1.0F);
    b = gpu.upload(numbers.data(), bytes());
    c = DeviceMemory(gpu.context, bytes());
    clear();
  }
  [[nodiscard]] std::size_t bytes() const { return 4 * static_cast<std::size_t>(n); }
  void clear() {
    gpu.context.check(gpu.context.driver().set_bytes(c.data(), 0, bytes(), gpu.context.stream()), "clear");
    gpu.context.wait();
  }
  fib_outcome call(const apply::Function& function, CUstream stream) {
    std::int64_t shape[] = {n};
    fib_tensor tensors[3];
    fib_value values[3];
    const CUdeviceptr data[] = {a.data(), b.data(), c.data()};
    for (std::size_t i = 0; i < 3; ++i) {
      tensors[i] = {reinterpret_cast<void*>(data[i]),
                    tvm_ffi::kCuda,
                    gpu.context.ordinal(),
                    1,
                    tvm_ffi::kFloat,
                    32,
                    1,
                    shape,
                    nullptr,
                    0};
      values[i].kind = FIB_TENSOR;
      values[i].u.tensor = &tensors[i];
    }
    return function.call(values, 3, stream, why);
  }
  // What was added to a + b; -1 when it is not the same everywhere.
  float added() {
    gpu.context.wait_for_all();
    const auto data = gpu.download(c.data(), bytes());
    std::vector<float> result(static_cast<std::size_t>(n));
    std::memcpy(result.data(), data.data(), data.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (result[i] != result[0] + static_cast<float>(i)) return -1;
    }
    return result[0] - 1;
  }
  testing::Gpu& gpu;
  std::int64_t n;
  DeviceMemory a, b, c;
  std::string why;
};

struct ApplyOnGpu {
  explicit ApplyOnGpu(testing::Gpu& device) : gpu(device) {
    ::setenv("FIB_CACHE_PATH", (folder.path() / "cache").c_str(), 1);
    data.builder().cuda_solution("one_kernel", "me", kKernel, kLaunch);
    data.builder().cuda_solution("two_kernels", "me", kTwoKernels, kTwoLaunches);
    data.builder().cuda_solution("host", "me", kHost, nlohmann::ordered_json::object());
    const std::string name = gpu.info.name;
    data.result({"one_kernel", 1000, 3, name})
        .result({"two_kernels", 2000, 3, name})
        .result({"host", 3000, 3, name});
  }
  [[nodiscard]] apply::Runtime runtime() const {
    return apply::Runtime(data.load(), apply::parse_registry(""), testing::fib_binary());
  }
  testing::Gpu& gpu;
  util::TemporaryFolder folder{std::filesystem::temp_directory_path(), "fib-apply-"};
  testing::AppliedDataset data{folder.path() / "dataset"};
};

// A stream that is being captured.
class Capture {
 public:
  Capture(testing::Gpu& gpu, CUstream stream) : gpu_(gpu), stream_(stream) {
    gpu_.context.check(driver_function<decltype(&cuStreamBeginCapture)>("cuStreamBeginCapture_v2")(
                           stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                       "cuStreamBeginCapture");
  }
  // Ends it; the graph is launched `times` times.
  void replay(int times) {
    CUgraph graph = nullptr;
    CUgraphExec made = nullptr;
    const auto& context = gpu_.context;
    context.check(driver_function<decltype(&cuStreamEndCapture)>("cuStreamEndCapture")(stream_, &graph),
                  "cuStreamEndCapture");
    context.check(driver_function<decltype(&cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags")(
                      &made, graph, 0),
                  "cuGraphInstantiateWithFlags");
    for (int i = 0; i < times; ++i)
      context.check(driver_function<decltype(&cuGraphLaunch)>("cuGraphLaunch")(made, stream_),
                    "cuGraphLaunch");
    context.check(context.driver().stream_synchronize(stream_), "cuStreamSynchronize");
  }

 private:
  testing::Gpu& gpu_;
  CUstream stream_;
};

}  // namespace

TEST_CASE("kernels and host code are applied on the program's stream", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const ApplyOnGpu test(*gpu);
  apply::Runtime runtime = test.runtime();
  const auto& function = runtime.find("add");
  for (const auto& [n, added] :
       std::vector<std::pair<std::int64_t, float>>{{1000, 100}, {2000, 200}, {3000, 300}}) {
    GpuCall call(*gpu, n);
    INFO(n);
    CHECK(call.call(function, gpu->context.stream()) == FIB_APPLIED);
    INFO(call.why);
    CHECK(call.added() == added);
    call.clear();
    CHECK(call.call(function, nullptr) == FIB_APPLIED);  // the default stream
    CHECK(call.added() == added);
  }
  GpuCall other(*gpu, 50);
  CHECK(other.call(function, nullptr) == FIB_NO_RESULT);
}

TEST_CASE("a captured stream replays what was applied, and takes nothing that is not ready", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const ApplyOnGpu test(*gpu);
  apply::Runtime runtime = test.runtime();
  const auto& function = runtime.find("add");
  const CUstream stream = gpu->context.stream();
  GpuCall one(*gpu, 1000);
  GpuCall two(*gpu, 2000);
  {
    Capture capture(*gpu, stream);
    CHECK(one.call(function, stream) == FIB_NOT_READY);
    CHECK(one.why == "the stream is being captured, and this case was not called before");
    capture.replay(0);
  }
  for (const auto& warmed : runtime.warm("add", tvm_ffi::kCuda, gpu->context.ordinal()))
    CHECK(warmed.problem.empty());
  {
    Capture capture(*gpu, stream);
    CHECK(one.call(function, stream) == FIB_APPLIED);
    CHECK(two.call(function, stream) == FIB_NOT_READY);  // its workspace belongs to a stream
    capture.replay(3);
  }
  CHECK(one.added() == 100);
  CHECK(two.added() == -1);
  CHECK(two.call(function, stream) == FIB_APPLIED);
  two.clear();
  {
    Capture capture(*gpu, stream);
    CHECK(two.call(function, stream) == FIB_APPLIED);
    capture.replay(1);
  }
  CHECK(two.added() == 200);
}

TEST_CASE("calls on a GPU are compared with the program's own function", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const ApplyOnGpu test(*gpu);
  apply::Runtime runtime(test.data.load(), apply::parse_registry(R"({"verify_first":true})"),
                         testing::fib_binary());
  // Adds 100 to a + b, on the host.
  const fib_fallback own = [](void* user, const fib_value* values, size_t, void* stream) -> fib_status {
    const auto& driver = static_cast<testing::Gpu*>(user)->context.driver();
    const auto queue = static_cast<CUstream>(stream);
    const auto at = [&](std::size_t place) {
      return reinterpret_cast<CUdeviceptr>(values[place].u.tensor->data);
    };
    std::vector<float> a(static_cast<std::size_t>(values[0].u.tensor->shape[0]));
    if (driver.copy_to_host(a.data(), at(0), 4 * a.size(), queue) != CUDA_SUCCESS) return FIB_FAILED;
    if (driver.stream_synchronize(queue) != CUDA_SUCCESS) return FIB_FAILED;
    for (auto& number : a) number += 101;
    if (driver.copy_to_device(at(2), a.data(), 4 * a.size(), queue) != CUDA_SUCCESS) return FIB_FAILED;
    return driver.stream_synchronize(queue) == CUDA_SUCCESS ? FIB_OK : FIB_FAILED;
  };
  runtime.set_fallback("add", own, gpu);
  const auto& function = runtime.find("add");
  const CUstream stream = gpu->context.stream();
  GpuCall same(*gpu, 1000);
  CHECK(same.call(function, stream) == FIB_APPLIED);
  CHECK(same.added() == 100);
  GpuCall other(*gpu, 2000);  // whose solution adds 200
  CHECK(other.call(function, stream) == FIB_DROPPED);
  CHECK_THAT(other.why, Catch::Contains("first at c[0]: expected 101, got 201"));
  CHECK(other.added() == -1);
  const auto statistics = nlohmann::json::parse(runtime.statistics_json());
  CHECK(statistics.at("verified").at("add") == nlohmann::json{{"agreed", 1}, {"differed", 1}});
}

TEST_CASE("what is returned is copied on the program's stream, also where that is captured", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  ApplyOnGpu test(*gpu);
  test.data.builder().tvm_ffi_solution("returning", kReturning, {{"destination_passing_style", false}},
                                       "main.cu");
  test.data.result({"returning", 4000, 3, gpu->info.name});
  apply::Runtime runtime = test.runtime();
  const auto& function = runtime.find("add");
  const CUstream stream = gpu->context.stream();
  GpuCall first(*gpu, 4000);
  GpuCall second(*gpu, 4000);
  CHECK(first.call(function, stream) == FIB_APPLIED);
  INFO(first.why);
  CHECK(second.call(function, stream) == FIB_APPLIED);  // in the same memory, behind the first one's copy
  CHECK(first.added() == 400);
  CHECK(second.added() == 400);
  first.clear();
  second.clear();
  {
    Capture capture(*gpu, stream);
    CHECK(first.call(function, stream) == FIB_APPLIED);
    CHECK(second.call(function, stream) == FIB_APPLIED);
    capture.replay(2);
  }
  CHECK(first.added() == 400);
  CHECK(second.added() == 400);
}

TEST_CASE("a torch extension that works on the default stream is in the order of the program's", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  ApplyOnGpu test(*gpu);
  test.data.builder().any_solution("extension", "add",
                                   {{"language", "cuda"},
                                    {"target_hardware", {"cuda"}},
                                    {"entry_point", "main.cu::run"},
                                    {"binding", "torch"},
                                    {"destination_passing_style", false}},
                                   {{"main.cu", R"(
#include <torch/extension.h>
__global__ void add(const float* a, const float* b, float* c, int64_t n) {
  int64_t i = blockIdx.x * 256LL + threadIdx.x;
  for (int64_t late = clock64() + 20000000; clock64() < late;) {}
  if (i < n) c[i] = a[i] + b[i] + 500;
}
torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  auto c = torch::empty_like(a);
  add<<<static_cast<unsigned>((a.numel() + 255) / 256), 256>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                              c.data_ptr<float>(), a.numel());
  return c;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
)"}});
  test.data.result({"extension", 5000, 3, gpu->info.name});
  apply::Runtime runtime = test.runtime();
  const auto& driver = gpu->context.driver();
  CUstream stream = nullptr;
  gpu->context.check(driver.stream_create(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  GpuCall call(*gpu, 5000);
  CHECK(call.call(runtime.find("add"), stream) == FIB_APPLIED);
  INFO(call.why);
  gpu->context.check(driver.stream_synchronize(stream), "cuStreamSynchronize");
  CHECK(call.added() == 500);
  {
    Capture capture(*gpu, stream);
    CHECK(call.call(runtime.find("add"), stream) == FIB_CALL_FAILED);
    capture.replay(0);
  }
  CHECK(call.call(runtime.find("add"), stream) == FIB_APPLIED);  // nothing was dropped
  gpu->context.check(driver.stream_synchronize(stream), "cuStreamSynchronize");
  (void)driver.stream_destroy(stream);
}

TEST_CASE("what torch does for an extension is in the order of its kernels on the default stream", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  ApplyOnGpu test(*gpu);
  constexpr int kSize = 8'000'000;  // so that clearing and copying take a while
  test.data.builder().any_solution("clearing", "add",
                                   {{"language", "cuda"},
                                    {"target_hardware", {"cuda"}},
                                    {"entry_point", "main.cu::run"},
                                    {"binding", "torch"},
                                    {"destination_passing_style", false}},
                                   {{"main.cu", R"(
#include <torch/extension.h>
__global__ void add(const float* a, const float* b, float* c, int64_t n) {
  for (int64_t i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL) c[i] += a[i] + b[i] + 600;
}
torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  auto c = torch::zeros_like(a);
  add<<<1024, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), a.numel());
  return c.clone();
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
)"}});
  test.data.result({"clearing", kSize, 3, gpu->info.name});
  apply::Runtime runtime = test.runtime();
  const auto& driver = gpu->context.driver();
  CUstream stream = nullptr;
  gpu->context.check(driver.stream_create(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  GpuCall call(*gpu, kSize);
  for (int i = 0; i < 10; ++i) {
    call.clear();
    CHECK(call.call(runtime.find("add"), stream) == FIB_APPLIED);
    INFO(call.why);
    gpu->context.check(driver.stream_synchronize(stream), "cuStreamSynchronize");
    CHECK(call.added() == 600);
  }
  (void)driver.stream_destroy(stream);
}

TEST_CASE("streams have workspaces of their own, and threads without a context get one", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const ApplyOnGpu test(*gpu);
  apply::Runtime runtime = test.runtime();
  const auto& function = runtime.find("add");
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  std::vector<std::unique_ptr<GpuCall>> calls;
  for (int t = 0; t < 4; ++t) calls.push_back(std::make_unique<GpuCall>(*gpu, 2000));
  for (auto& call : calls) {
    threads.emplace_back([&, own = call.get()] {
      const auto& driver = gpu->context.driver();
      CUstream stream = nullptr;
      const cuda::CurrentContext current(driver, gpu->context.ordinal());
      if (driver.stream_create(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) ++wrong;
      for (int i = 0; i < 50; ++i) {
        if (own->call(function, stream) != FIB_APPLIED) ++wrong;
      }
      (void)driver.stream_synchronize(stream);
    });
  }
  threads.emplace_back([&] {  // nothing is current here
    GpuCall* own = calls.front().get();
    if (own->call(function, gpu->context.stream()) != FIB_APPLIED) ++wrong;
  });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  for (auto& call : calls) CHECK(call->added() == 200);
}

TEST_CASE("a launch plan that the device cannot serve is left to the program", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  ApplyOnGpu test(*gpu);
  test.data.builder().cuda_solution(
      "too_large", "me", kKernel,
      {{"launch", {{"grid", "ceil_div(n, 256)"}, {"block", 256}, {"shared_memory", 500000}}}});
  test.data.result({"too_large", 500, 9, gpu->info.name});
  apply::Runtime runtime = test.runtime();
  GpuCall call(*gpu, 500);
  CHECK(call.call(runtime.find("add"), nullptr) == FIB_CANNOT_RUN);
  CHECK_THAT(call.why, Catch::Contains("it asks for 500000 bytes of dynamic shared memory"));
}

// For people: what a hit adds to launching the same kernel.
TEST_CASE("what a hit adds to a launch", "[.bench]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const ApplyOnGpu test(*gpu);
  apply::Runtime runtime = test.runtime();
  const auto& function = runtime.find("add");
  GpuCall call(*gpu, 1000);
  const CUstream stream = gpu->context.stream();
  REQUIRE(call.call(function, stream) == FIB_APPLIED);
  compile::BuildResult built =
      apply::build(testing::fib_binary(),
                   {test.data.load().solutions.at("one_kernel"), test.data.load().definitions.at("add"),
                    model::DeviceKind::cuda, cuda::architecture_of(gpu->info.major, gpu->info.minor)});
  const std::string cubin = util::read_file(built.artifact.file);
  const auto& driver = gpu->context.driver();
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  gpu->context.check(driver.module_load(&module, cubin.data()), "cuModuleLoadData");
  gpu->context.check(driver.module_function(&kernel, module, built.artifact.kernels.front().c_str()),
                     "cuModuleGetFunction");
  CUdeviceptr a = call.a.data();
  CUdeviceptr b = call.b.data();
  CUdeviceptr c = call.c.data();
  std::int64_t n = 1000;
  void* parameters[] = {&a, &b, &c, &n};
  CUlaunchConfig config{};
  config.gridDimX = 4;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 256;
  config.hStream = stream;
  const auto least_ns = [&](auto once) {
    double least = 1e9;
    for (int round = 0; round < 200; ++round) {
      gpu->context.wait();
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < 200; ++i) once();
      least = std::min(
          least,
          std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / 200);
    }
    return least;
  };
  const double direct = least_ns([&] { (void)driver.launch_ex(&config, kernel, parameters, nullptr); });
  const double applied = least_ns([&] { (void)call.call(function, stream); });
  WARN("a launch takes " << direct << " ns, through apply " << applied << " ns");
}
