#include <cstdlib>
#include <nlohmann/json.hpp>

#include "gpu/gpu.h"
#include "support/fib_run.h"

// Of several GPUs a solution reaches the one that it is measured on.
using namespace fib;
using testing::FibRun;

namespace {

const std::string kLooksAround = R"(
#include <dirent.h>

#include <cctype>
#include <string>

__global__ void add(const float* a, const float* b, float* c, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" int run(const float* a, const float* b, float* c, long long n, cudaStream_t stream) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices != 1) return 5000 + devices;
  int nodes = 0;
  DIR* folder = opendir("/dev");
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name.size() > 6 && name.compare(0, 6, "nvidia") == 0 && isdigit(name[6])) ++nodes;
  }
  closedir(folder);
  if (nodes != 1) return 6000 + nodes;
  add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
  return cudaGetLastError();
}
)";

}  // namespace

TEST_CASE("a solution sees the GPU that it is measured on, and no other", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("nvcc")) return;
  if (!std::filesystem::exists("/dev/nvidia1"))
    WARN("this machine has one GPU, so that there is no other to hide");
  FibRun run;
  run.dataset.add_definition({1000, 2000, 4000, 8000});
  run.dataset.cuda_solution("s", "test", kLooksAround, nlohmann::ordered_json::object());
  const auto result =
      run.run({"--device", "cuda", "--iterations", "5", "--num-trials", "2", "--warmup-runs", "2"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  CHECK_FALSE(traces.empty());
  for (const auto& trace : traces) {
    INFO(trace.log);
    if (nlohmann::json::parse(trace.text).at("evaluation").at("fib").at("sandbox").at("mounts") != true)
      continue;
    CHECK(trace.status == "PASSED");
  }
}
