#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "device/cuda/snapshot.h"
#include "gpu/gpu.h"
#include "support/fib_run.h"
#include "support/tvm_ffi.h"

// Which evaluations are held against the device's own counters.
using namespace fib;
using nlohmann::ordered_json;
using testing::FibRun;

namespace {

bool can_count() {
  const auto* gpu = testing::gpu();
  if (gpu == nullptr) return false;
  if (!testing::has_cuda_tool("nvcc")) return false;
  const device::cuda::DeviceWatch watch(gpu->context, gpu->info.uuid);
  if (watch.counter().problem().empty()) return true;
  WARN("skipped: the device has no counters of its work");
  return false;
}

// Host code on three workloads.
struct Counting {
  explicit Counting(const std::string& source) {
    run.dataset.add_definition({1000, 2000, 4000});
    run.dataset.cuda_solution("s", "test", source, ordered_json::object());
  }
  // The traces by their n.
  std::map<int, testing::TraceLine> traces_with(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(),
                     {"--device", "cuda:0", "--iterations", "5", "--num-trials", "2", "--warmup-runs", "2"});
    const auto result = run.run(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    std::map<int, testing::TraceLine> traces;
    for (const auto& trace : testing::read_traces(run.dataset.root()))
      traces.emplace(ordered_json::parse(trace.text).at("workload").at("axes").at("n").get<int>(), trace);
    return traces;
  }

  FibRun run;
};

std::string source_of(const std::string& name) {
  return util::read_file(testing::source_folder() / "tests/hostile/cuda" / (name + ".cu"));
}

bool is_counted(const testing::TraceLine& trace) {
  const auto witness = ordered_json::parse(trace.text).at("evaluation").at("fib").at("witness");
  return witness.contains("counters") && witness.at("counters").contains("calls");
}

// What came of a TVM-FFI solution of "add" that returns its output, each of its evaluations counted, on the
// newest headers; `code` follows the includes. Nothing where it cannot run, which is said.
std::optional<std::vector<testing::TraceLine>> traces_of_returning(
    const std::vector<int>& sizes, const std::string& code, const std::vector<std::string>& words = {}) {
  if (!can_count()) return std::nullopt;
  const auto homes = testing::tvm_ffi_homes();
  if (homes.empty()) return std::nullopt;
  FibRun run;
  run.dataset.add_definition(sizes);
  run.dataset.tvm_ffi_solution("s", R"(
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
namespace ffi = tvm::ffi;
)" + code,
                               ordered_json{{"destination_passing_style", false}}, "main.cu");
  auto variables = run.environment();
  variables.push_back("FIB_TVM_FFI_HOME=" + homes.back());
  auto all = run.words({"--device", "cuda:0", "--count-work", "each"});
  all.insert(all.end(), words.begin(), words.end());
  const auto result = testing::run_process(all, variables);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  return testing::read_traces(run.dataset.root());
}

}  // namespace

TEST_CASE("none of a solution's evaluations are counted, one or two, or each, as --count-work says",
          "[gpu]") {
  if (!can_count()) return;
  const auto counts_with = [](const std::vector<std::string>& arguments) {
    const auto traces = Counting(source_of("host_honest")).traces_with(arguments);
    CHECK(traces.size() == 3);
    for (const auto& [n, trace] : traces) CHECK(trace.status == "PASSED");
    return std::count_if(traces.begin(), traces.end(),
                         [](const auto& one) { return is_counted(one.second); });
  };
  CHECK(counts_with({"--count-work", "none"}) == 0);
  CHECK(counts_with({"--count-work", "each"}) == 3);
  CHECK(counts_with({"--use-isolated-runner"}) == 2);  // the work is so little that the first tells nothing
}

TEST_CASE("a solution that hides work is found in each of its evaluations, though one was chosen", "[gpu]") {
  if (!can_count()) return;
  const auto traces = Counting(source_of("host_switches_callbacks_off")).traces_with({});
  CHECK(traces.size() == 3);
  for (const auto& [n, trace] : traces) {
    INFO(n << ": " << trace.log);
    CHECK(trace.status == "RUNTIME_ERROR");
    CHECK(trace.log.find("the device's own counters saw its") != std::string::npos);
  }
}

TEST_CASE("work that is hidden on one workload alone is found where each evaluation is counted", "[gpu]") {
  if (!can_count()) return;
  std::string source = source_of("host_switches_callbacks_off");
  const std::string launch = "work<<<";
  const auto place = source.find(launch);
  REQUIRE(place != std::string::npos);
  source.insert(place, "if (n == 2000) ");
  const auto traces = Counting(source).traces_with({"--count-work", "each"});
  CHECK(traces.size() == 3);
  for (const auto& [n, trace] : traces) {
    INFO(n << ": " << trace.log);
    CHECK(trace.status == (n == 2000 ? "RUNTIME_ERROR" : "PASSED"));
  }
}

TEST_CASE("an isolated evaluation is counted in a worker that has served no other workload", "[gpu]") {
  if (!can_count()) return;
  std::string source = source_of("host_honest");
  const std::string body = "  add<<<";
  const auto place = source.find(body);
  REQUIRE(place != std::string::npos);
  source.insert(place, "  static const std::int64_t first = n;\n  if (n != first) return 1;\n");
  for (const std::string mode : {"one", "each"}) {
    const auto traces = Counting(source).traces_with({"--use-isolated-runner", "--count-work", mode});
    CHECK(traces.size() == 3);
    for (const auto& [n, trace] : traces) {
      INFO(n << ": " << trace.log);
      CHECK(trace.status == "PASSED");
    }
  }
}

TEST_CASE("copies of returned outputs are no work of the solution, whatever their size", "[gpu]") {
  const auto traces =
      traces_of_returning({2'097'152, 4'194'304, 8'388'608, 16'777'216},
                          R"(__global__ void add(const float4* a, const float4* b, float4* c, long long n) {
  const long long i = blockIdx.x * 512LL + threadIdx.x;
  if (i < n) c[i] = make_float4(a[i].x + b[i].x, a[i].y + b[i].y, a[i].z + b[i].z, a[i].w + b[i].w);
}
static ffi::Tensor f(ffi::TensorView a, ffi::TensorView b) {
  const DLDevice device = a.device();
  auto c = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, a.shape(), a.dtype(), device);
  const long long n = a.shape()[0] / 4;
  add<<<(n + 511) / 512, 512, 0, static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id))>>>(
      static_cast<const float4*>(a.data_ptr()), static_cast<const float4*>(b.data_ptr()),
      static_cast<float4*>(c.data_ptr()), n);
  return c;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);
)",
                          {"--iterations", "10", "--num-trials", "3"});
  if (!traces) return;
  CHECK(traces->size() == 4);
  for (const auto& trace : *traces) {
    CHECK(trace.status == "PASSED");
    CHECK(is_counted(trace));
    WARN(ordered_json::parse(trace.text).at("evaluation").at("fib").at("witness").at("counters").dump());
  }
}

TEST_CASE("an input that is returned as an output is charged for the copy that makes it memory of its own",
          "[gpu]") {
  const auto traces =
      traces_of_returning({1'048'576}, R"(__global__ void add(float* a, const float* b, long long n) {
  const long long i = blockIdx.x * 512LL + threadIdx.x;
  if (i < n) a[i] += b[i];
}
static ffi::Tensor f(ffi::Tensor a, ffi::Tensor b) {
  const DLDevice device = a.device();
  const long long n = a.shape()[0];
  add<<<(n + 511) / 512, 512, 0, static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id))>>>(
      static_cast<float*>(a.data_ptr()), static_cast<const float*>(b.data_ptr()), n);
  return a;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);
)");
  if (!traces) return;
  REQUIRE(traces->size() == 1);
  const auto& trace = traces->front();
  CHECK(trace.status == "PASSED");
  CHECK(is_counted(trace));
  const auto fib = ordered_json::parse(trace.text).at("evaluation").at("fib");
  CHECK(fib.at("launches").at("kernels") == 1);
  CHECK(fib.at("launches").at("copies") == 1);
}

TEST_CASE("a solution whose threads could compute what the device should has no verdict", "[gpu]") {
  if (!can_count()) return;
  std::string source = source_of("host_honest");
  const std::string place = "extern \"C\" int run(";
  REQUIRE(source.find(place) != std::string::npos);
  source.insert(source.find(place), R"(
#include <chrono>
#include <thread>
#include <vector>

static void keep_cpus_busy() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
      while (std::chrono::steady_clock::now() < end) {
      }
    });
  for (auto& thread : threads) thread.join();
}

)");
  const auto body = source.find('{', source.find(place));
  source.insert(body + 1, "\n  keep_cpus_busy();");
  Counting counting(source);
  const auto result = counting.run.run(
      {"--device", "cuda:0", "--iterations", "5", "--num-trials", "2", "--warmup-runs", "2"});
  CHECK_THAT(result.err, Catch::Contains("threads of the solution use the CPUs for"));
}
