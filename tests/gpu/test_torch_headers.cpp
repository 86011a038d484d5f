#include <map>
#include <nlohmann/json.hpp>

#include "gpu/gpu.h"
#include "support/fib_run.h"

// CUDA torch extensions that are built with fib's torch headers, as people write them.
using namespace fib;

namespace {

const std::string kHead = R"(
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
template <typename T>
__global__ void add(const T* a, const T* b, float* c, int64_t n) {
  const int64_t i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = static_cast<float>(a[i]) + static_cast<float>(b[i]);
}
static unsigned blocks(int64_t n) { return static_cast<unsigned>((n + 255) / 256); }
static void launch(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& c, cudaStream_t stream) {
  add<float><<<blocks(c.numel()), 256, 0, stream>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), c.numel());
}
)";
const std::string kTail = "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n";
const std::string kReturning = "torch::Tensor run(torch::Tensor a, torch::Tensor b) ";

struct Case {
  std::string source;
  std::string status = "PASSED";
  std::string log = {};
  bool returns = true;
};

const std::map<std::string, Case>& cases() {
  static const std::map<std::string, Case> all = {
      {"current_stream",
       {kReturning +
        "{ auto c = torch::empty_like(a); launch(a, b, c, at::cuda::getCurrentCUDAStream()); return c; }"}},
      {"default_stream", {kReturning + "{ auto c = torch::empty_like(a); launch(a, b, c, 0); return c; }"}},
      {"passing",
       {"void run(torch::Tensor a, torch::Tensor b, torch::Tensor c) { launch(a, b, c, "
        "at::cuda::getDefaultCUDAStream()); }",
        "PASSED", "", false}},
      {"synchronises",
       {kReturning +
        "{ auto c = torch::empty_like(a); launch(a, b, c, 0); cudaDeviceSynchronize(); return c; }"}},
      {"guarded", {kReturning + R"({
  TORCH_CHECK(a.is_cuda() && a.get_device() == at::cuda::current_device() && a.device() == torch::Device(torch::kCUDA, 0));
  TORCH_CHECK(at::cuda::getCurrentCUDAStream() == at::cuda::getDefaultCUDAStream());
  const at::cuda::OptionalCUDAGuard guard(device_of(a));
  TORCH_CHECK(at::cuda::getCurrentDeviceProperties()->multiProcessorCount > 0);
  auto c = torch::empty(a.sizes(), a.options());
  launch(a, b, c, at::cuda::getCurrentCUDAStream(a.get_device()));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return c;
})"}},
      {"own_stream", {kReturning + R"({
  static cudaStream_t side = nullptr;
  if (!side) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  auto c = torch::zeros_like(a);
  AT_CUDA_CHECK(cudaStreamSynchronize(0));
  const auto stream = c10::cuda::getStreamFromExternal(side, 0);
  launch(a, b, c, stream);
  stream.synchronize();
  return c;
})"}},
      {"workspace", {kReturning + R"({
  static torch::Tensor between;
  if (!between.defined() || between.numel() < a.numel()) between = torch::empty({a.numel()}, a.options());
  launch(a, b, between, 0);
  return between.narrow(0, 0, a.numel()).clone();
})"}},
      {"strided", {kReturning + R"({
  auto wide = torch::zeros({a.size(0), 3}, a.options());
  wide.select(1, 0).copy_(a);
  wide.index_put_({torch::indexing::Slice(), 2}, b);
  auto c = torch::full_like(wide, -1);
  auto turned = wide.t().contiguous();
  launch(turned[0], turned[2], turned[1], 0);
  c.select(1, 1).copy_(turned[1]);
  return c.select(1, 1);
})"}},
      // NaNs with every kind of payload, and a dtype that nothing is computed with, copied with strides: by
      // the bytes of an element.
      {"keeps_bits", {kReturning + R"({
  const auto check = [&](torch::ScalarType bits, torch::ScalarType dtype, int64_t first) {
    auto host = torch::empty({4, 6}, torch::kInt64);
    for (int64_t i = 0; i < 24; ++i) host.data_ptr<int64_t>()[i] = first + 3 * i;
    host = host.to(bits);
    const auto values = host.cuda().view(dtype);
    auto wide = torch::zeros({4, 12}, a.options().dtype(bits)).view(dtype);
    wide.slice(1, 1, 12, 2).copy_(values);
    const auto turned = values.t().contiguous().view(bits).cpu().t().contiguous();
    const auto spread = wide.slice(1, 1, 12, 2).contiguous().view(bits).cpu();
    TORCH_CHECK(std::memcmp(turned.data_ptr(), host.data_ptr(), host.nbytes()) == 0, dtype, " turned");
    TORCH_CHECK(std::memcmp(spread.data_ptr(), host.data_ptr(), host.nbytes()) == 0, dtype, " spread");
  };
  check(torch::kInt32, torch::kFloat32, 0x7f800001);
  check(torch::kInt64, torch::kFloat64, 0x7ff0000000000001);
  check(torch::kInt16, torch::kHalf, 0x7c01);
  check(torch::kInt16, torch::kBFloat16, 0x7f81);
  check(torch::kUInt8, torch::kFloat8_e4m3fn, 0x60);
  check(torch::kUInt8, torch::kFloat8_e5m2, 0x60);
  check(torch::kUInt8, torch::kBool, 0);
  check(torch::kUInt8, torch::kFloat4_e2m1fn_x2, 0x60);
  auto c = torch::empty_like(a);
  launch(a, b, c, 0);
  return c;
})"}},
      {"guards_the_host",
       {kReturning + "{ const at::cuda::OptionalCUDAGuard guard(device_of(a.cpu())); return a; }",
        "RUNTIME_ERROR", "RuntimeError: CUDAGuardImpl initialized with non-CUDA DeviceType: cpu"}},
      // Every conversion that has a kernel of its own, and several that have not: there and back is exact for
      // these.
      {"converts", {kReturning + R"({
  auto sum = torch::empty_like(a);
  launch(a, b, sum, 0);
  for (const auto dtype : {torch::kDouble, torch::kFloat}) sum = sum.to(dtype);
  auto small = torch::full({1000}, 3, a.options());
  for (const auto dtype : {torch::kHalf, torch::kFloat, torch::kBFloat16, torch::kFloat, torch::kInt32, torch::kInt64,
                           torch::kInt16, torch::kInt8, torch::kUInt8, torch::kFloat8_e4m3fn, torch::kFloat8_e5m2,
                           torch::kDouble, torch::kBFloat16, torch::kHalf, torch::kFloat})
    small = small.to(dtype);
  TORCH_CHECK(small[999].item<float>() == 3, "3 became ", small[999].item<float>());
  TORCH_CHECK(small.to(torch::kBool)[5].item<bool>());
  auto host = torch::empty({1000});
  for (int i = 0; i < 1000; ++i) host.data_ptr<float>()[i] = 0.37f * static_cast<float>(i) - 100;
  const auto device = host.cuda();
  for (const auto dtype : {torch::kHalf, torch::kBFloat16, torch::kFloat8_e4m3fn, torch::kFloat8_e5m2, torch::kInt32,
                           torch::kInt64, torch::kDouble}) {
    const auto there = device.to(dtype).cpu().to(torch::kDouble);
    const auto here = host.to(dtype).to(torch::kDouble);
    for (int i = 0; i < 1000; ++i)
      TORCH_CHECK(here.data_ptr<double>()[i] == there.data_ptr<double>()[i], dtype, " of ", host.data_ptr<float>()[i],
                  ": ", here.data_ptr<double>()[i], " on the host, ", there.data_ptr<double>()[i], " on the device");
  }
  return sum;
})"}},
      {"dispatches", {kReturning + R"({
  auto c = torch::empty_like(a);
  const auto x = a.to(torch::kDouble);
  const auto y = b.to(torch::kDouble);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "add", ([&] {
    add<scalar_t><<<blocks(c.numel()), 256>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), c.data_ptr<float>(), c.numel());
  }));
  return c;
})"}},
      {"blas", {"#include <cublas_v2.h>\n" + kReturning + R"({
  auto c = torch::empty_like(a);
  const float one = 1;
  const int n = static_cast<int>(c.numel());
  TORCH_CUDABLAS_CHECK(cublasSgeam(at::cuda::getCurrentCUDABlasHandle(), CUBLAS_OP_N, CUBLAS_OP_N, n, 1, &one,
                                   a.data_ptr<float>(), n, &one, b.data_ptr<float>(), n, c.data_ptr<float>(), n));
  return c;
})"}},
      {"on_the_host", {kReturning + "{ return a.cpu(); }", "RUNTIME_ERROR", "on another device"}},
      {"wrong", {kReturning + "{ return a.clone(); }", "INCORRECT_NUMERICAL"}},
      {"checks",
       {kReturning + "{ TORCH_CHECK(!a.is_cuda(), \"on \", a.device()); return a; }", "RUNTIME_ERROR",
        "RuntimeError: on cuda:0"}},
      {"does_not_launch",
       {"__global__ void __launch_bounds__(32) small() {}\n" + kReturning +
            "{ small<<<1, 1024>>>(); C10_CUDA_KERNEL_LAUNCH_CHECK(); return a; }",
        "RUNTIME_ERROR", "CUDA error: invalid argument"}},
  };
  return all;
}

}  // namespace

TEST_CASE("CUDA torch extensions with fib's headers work on streams, convert, allocate, wait, and read alike",
          "[gpu]") {
  if (testing::gpu() == nullptr) return;
  testing::FibRun run;
  run.dataset.add_definition({1 << 20});
  for (const auto& [name, one] : cases()) {
    run.dataset.torch_solution(
        name, {{"main.cu", kHead + one.source + kTail}},
        {{"language", "cuda"}, {"target_hardware", {"cuda"}}, {"destination_passing_style", !one.returns}});
  }
  const auto result = run.run({"--device", "cuda:0", "--torch", "headers"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  auto traces = testing::traces_by_solution(run.dataset.root());
  for (const auto& [name, one] : cases()) {
    const auto& trace = traces[name];
    INFO(name << ": " << trace.log.substr(0, 3000));
    CHECK(trace.status == one.status);
    CHECK(trace.log.find(one.log) != std::string::npos);
  }
  for (const char* name : {"default_stream", "passing", "synchronises", "guarded"}) {
    INFO(name << " reads " << traces[name].latency_ms << ", the plain one "
              << traces["current_stream"].latency_ms);
    CHECK(std::abs(traces[name].latency_ms - traces["current_stream"].latency_ms) < 0.001);
  }
  // Where the device counts its own work: of what is returned, 4 MiB, fib makes a copy.
  const auto own_ms = [&](const char* name) {
    const auto fib = nlohmann::json::parse(traces[name].text).at("evaluation").at("fib");
    return fib.at("witness").at("counters").value("own_ms", -1.0);
  };
  if (own_ms("passing") < 0) return;
  CHECK(own_ms("passing") == 0);
  CHECK(own_ms("current_stream") > 0.0005);
  CHECK(own_ms("current_stream") < 0.02);
}
