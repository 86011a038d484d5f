#include <map>
#include <nlohmann/json.hpp>

#include "gpu/gpu.h"
#include "support/fib_run.h"
#include "support/tvm_ffi.h"

// CUDA solutions by TVM-FFI's convention, as people write them.
using namespace fib;

namespace {

const nlohmann::ordered_json kReturns = {{"destination_passing_style", false}};

const std::string kHead = R"(
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
namespace ffi = tvm::ffi;
static cudaStream_t stream_of(const DLDevice& device) {
  return static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
}
__global__ void add(const float* a, const float* b, float* c, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
static void launch(const void* a, const void* b, void* c, long long n, cudaStream_t stream) {
  add<<<(n + 255) / 256, 256, 0, stream>>>((const float*)a, (const float*)b, (float*)c, n);
}
#define ALL a.data_ptr(), b.data_ptr(), c.data_ptr(), c.shape()[0]
)";

const std::string kPassing = "void f(ffi::TensorView a, ffi::TensorView b, ffi::TensorView c) ";
const std::string kReturning =
    "ffi::Tensor f(ffi::TensorView a, ffi::TensorView b) {"
    "auto c = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, a.shape(), a.dtype(), a.device());"
    "launch(ALL, stream_of(a.device()));";

struct Case {
  std::string source;
  std::string status = "PASSED";
  std::string log = {};
  nlohmann::ordered_json spec = nlohmann::ordered_json::object();
};

const std::map<std::string, Case>& cases() {
  static const std::map<std::string, Case> all = {
      {"environment_stream", {kPassing + "{ launch(ALL, stream_of(a.device())); }"}},
      {"default_stream", {kPassing + "{ launch(ALL, 0); }"}},
      {"synchronises", {kPassing + "{ launch(ALL, stream_of(a.device())); cudaDeviceSynchronize(); }"}},
      {"own_stream", {kPassing + R"({
  static cudaStream_t side = nullptr;
  if (!side) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  launch(ALL, side);
  cudaStreamSynchronize(side);
})"}},
      {"returns", {kReturning + "return c; }", "PASSED", "", kReturns}},
      {"returns_array",
       {"ffi::Array<ffi::Tensor> f(ffi::TensorView a, ffi::TensorView b) {"
        "auto c = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, a.shape(), a.dtype(), a.device());"
        "launch(ALL, stream_of(a.device())); return {c}; }",
        "PASSED", "", kReturns}},
      {"workspace", {kPassing + R"({
  static float* between = nullptr;
  static long long size = 0;
  const long long n = c.shape()[0];
  if (size < n) { cudaFree(between); cudaMalloc(&between, n * sizeof(float)); size = n; }
  launch(a.data_ptr(), b.data_ptr(), between, n, stream_of(a.device()));
  cudaMemcpyAsync(c.data_ptr(), between, n * sizeof(float), cudaMemcpyDeviceToDevice, stream_of(a.device()));
})"}},
      {"thrust",
       {"#include <thrust/execution_policy.h>\n#include <thrust/transform.h>\n#include "
        "<thrust/functional.h>\n" +
        kPassing + R"({
  const auto* x = static_cast<const float*>(a.data_ptr());
  const auto* y = static_cast<const float*>(b.data_ptr());
  thrust::transform(thrust::cuda::par.on(stream_of(a.device())), x, x + c.shape()[0], y, static_cast<float*>(c.data_ptr()),
                    thrust::plus<float>());
})"}},
      {"cublas", {"#include <cublas_v2.h>\n" + kPassing + R"({
  static cublasHandle_t handle = nullptr;
  if (!handle) cublasCreate(&handle);
  cublasSetStream(handle, stream_of(a.device()));
  const float one = 1;
  const int n = static_cast<int>(c.shape()[0]);
  if (cublasSgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, 1, &one, static_cast<const float*>(a.data_ptr()), n, &one,
                  static_cast<const float*>(b.data_ptr()), n, static_cast<float*>(c.data_ptr()), n) != CUBLAS_STATUS_SUCCESS)
    TVM_FFI_THROW(RuntimeError) << "cublasSgeam failed";
})"}},
      {"graph", {kPassing + R"({
  static cudaGraphExec_t graph = nullptr;
  static const void* recorded = nullptr;
  if (recorded != a.data_ptr()) {
    cudaStream_t side;
    cudaGraph_t nodes;
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal);
    launch(ALL, side);
    cudaStreamEndCapture(side, &nodes);
    cudaGraphInstantiate(&graph, nodes, 0);
    recorded = a.data_ptr();
  }
  cudaGraphLaunch(graph, stream_of(a.device()));
})"}},
      {"raises",
       {kPassing + "{ TVM_FFI_THROW(ValueError) << \"device \" << a.device().device_type; }", "RUNTIME_ERROR",
        "ValueError: device 2 while the solution ran"}},
      {"wrong",
       {kPassing + "{ launch(a.data_ptr(), a.data_ptr(), c.data_ptr(), c.shape()[0], 0); }",
        "INCORRECT_NUMERICAL"}},
      {"on_the_host",
       {R"(ffi::Tensor f(ffi::TensorView a, ffi::TensorView b) {
  return ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, a.shape(), a.dtype(), DLDevice{kDLCPU, 0});
})",
        "RUNTIME_ERROR", "tensors lie on the device of the call", kReturns}},
      {"does_not_launch",
       {"__global__ void __launch_bounds__(32) small() {}\n" + kPassing + R"({
  small<<<1, 1024>>>();
  if (const auto error = cudaGetLastError()) TVM_FFI_THROW(RuntimeError) << cudaGetErrorString(error);
})",
        "RUNTIME_ERROR", "RuntimeError: invalid argument"}},
  };
  return all;
}

}  // namespace

TEST_CASE("CUDA solutions of TVM-FFI work on streams, allocate, wait, use libraries, and read alike",
          "[gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto homes = testing::tvm_ffi_homes();
  if (homes.empty()) return;
  testing::FibRun run;
  run.dataset.add_definition({1 << 20});
  for (const auto& [name, one] : cases()) {
    nlohmann::ordered_json spec = {{"language", "cuda"}, {"target_hardware", {"cuda"}}};
    spec.update(one.spec);
    run.dataset.tvm_ffi_solution(name, kHead + one.source + "\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);\n",
                                 spec, "main.cu");
  }
  auto variables = run.environment();
  variables.push_back("FIB_TVM_FFI_HOME=" + homes.back());
  const auto result = testing::run_process(run.words({"--device", "cuda:0"}), variables);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  auto traces = testing::traces_by_solution(run.dataset.root());
  for (const auto& [name, one] : cases()) {
    const auto& trace = traces[name];
    INFO(name << ": " << trace.log.substr(0, 3000));
    CHECK(trace.status == one.status);
    CHECK(trace.log.find(one.log) != std::string::npos);
  }
  // The same kernel, launched in these ways.
  for (const char* name :
       {"default_stream", "synchronises", "own_stream", "returns", "returns_array", "graph"}) {
    INFO(name << " reads " << traces[name].latency_ms << ", the plain one "
              << traces["environment_stream"].latency_ms);
    CHECK(std::abs(traces[name].latency_ms - traces["environment_stream"].latency_ms) < 0.001);
  }
}

TEST_CASE("the example of the format that uses TVM-FFI builds and passes", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto homes = testing::tvm_ffi_homes();
  if (homes.empty()) return;
  const char* named = std::getenv("FIB_TEST_TVM_FFI_EXAMPLE");
  const std::filesystem::path example =
      named != nullptr ? named : testing::source_folder() / "../shared/data/real/fib_example";
  if (!std::filesystem::exists(example)) {
    WARN("skipped: the format's own example is not here (FIB_TEST_TVM_FFI_EXAMPLE)");
    return;
  }
  testing::FibRun run;
  const auto text = [&](const char* name) { return util::read_file(example / name); };
  run.dataset.definition("gemm", "gemm_n4096_k4096", text("gemm_n4096_k4096.json"), {});
  const std::string lines = text("gemm_n4096_k4096.jsonl");
  util::write_file_atomic(run.dataset.root() / "workloads/gemm/gemm_n4096_k4096.jsonl",
                          lines.substr(0, lines.find('\n', lines.find('\n') + 1) + 1));  // two of them
  util::write_file_atomic(run.dataset.root() / "solutions/a/gemm/gemm_n4096_k4096/example.json",
                          text("example_agent_solution.json"));
  auto variables = run.environment();
  variables.push_back("FIB_TVM_FFI_HOME=" + homes.back());
  const auto result = testing::run_process(run.words({"--device", "cuda:0", "--strict"}), variables);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_FALSE(testing::read_traces(run.dataset.root()).empty());
}
