#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpu/gpu.h"
#include "support/fib_run.h"
#include "support/python.h"
#include "support/schema_check.h"

// `fib profile` of CUDA sources, by Nsight Compute.
using namespace fib;
using testing::FibRun;

namespace {

// A solution of "add" that runs this kernel, beside what it is asked for.
std::string source_of(const std::string& kernel, const std::string& launch) {
  return R"(#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <cstdint>
)" + kernel +
         R"(
extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  )" + launch +
         R"(
  return cudaGetLastError();
}
)";
}

struct Profile {
  FibRun run;
  Profile() { run.dataset.add_definition({1 << 25}); }

  // The class of the one kernel.
  [[nodiscard]] std::string operator()(const std::string& kernel, const std::string& launch) const {
    const auto file = run.folder.path() / "a.cu";
    util::write_file_atomic(file, source_of(kernel, launch));
    const auto result = testing::run_process(
        {testing::fib_binary(), "profile", file, "--definition", "add", "--local", run.dataset.root(),
         "--device", "cuda:0", "--format", "json", "--set", "basic", "--timeout", "120"},
        run.environment());
    INFO(result.out << result.err);
    const auto profiled = testing::checked_json("profile", result.out).at("profiled").at(0);
    REQUIRE(profiled.at("kernels").size() == 1);
    CHECK_FALSE(profiled.at("kernels").at(0).at("rules").empty());
    return profiled.at("kernels").at(0).at("bottleneck").at("class");
  }
};

}  // namespace

TEST_CASE("ncu's figures tell what keeps a kernel from being faster", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("ncu")) return;
  const Profile profile;
  const std::string begin =
      "__global__ void kernel(const float* a, const float* b, float* c, std::int64_t n) {\n";
  const std::string index = "  const std::int64_t i = blockIdx.x * 256LL + threadIdx.x;\n";
  const std::string all = "kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, b, c, n);";
  CHECK(profile(begin + index + "  if (i < n) c[i] = a[i] + b[i];\n}", all) == "memory_bandwidth");
  CHECK(
      profile(
          begin +
              "  float x = a[0];\n  for (int i = 0; i < 100000; ++i) x = x * 1.0001f + b[0];\n  c[0] = x;\n}",
          "kernel<<<1, 32, 0, stream>>>(a, b, c, n);") == "latency");
  CHECK(profile(begin + index + "  if (i < n) c[i] = a[(i * 4097) % n];\n}", all) == "uncoalesced");
  CHECK(profile(begin + "  __shared__ float s[1024];\n  for (int k = 0; k < 1000; ++k) {\n"
                        "    s[threadIdx.x * 32 % 1024] = a[k];\n    __syncthreads();\n"
                        "    c[blockIdx.x * 256 + threadIdx.x] += s[(threadIdx.x + 1) * 32 % 1024];\n    "
                        "__syncthreads();\n  }\n}",
                "kernel<<<264, 256, 0, stream>>>(a, b, c, n);") == "bank_conflicts");
  CHECK(profile(begin + "  float v[200];\n  for (int i = 0; i < 200; ++i) v[i] = a[threadIdx.x + i];\n"
                        "  for (int k = 0; k < n % 7 + 20; ++k)\n    for (int i = 0; i < 200; ++i) v[i] = "
                        "v[(i * 7 + k) % 200] * 1.5f + v[i];\n"
                        "  float s = 0;\n  for (int i = 0; i < 200; ++i) s += v[i];\n  c[blockIdx.x * 256 + "
                        "threadIdx.x] = s;\n}",
                "kernel<<<1056, 256, 0, stream>>>(a, b, c, n);") == "spills");
  CHECK(profile("using namespace nvcuda;\n__global__ void kernel(const half* a, float* c) {\n"
                "  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> A;\n"
                "  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> B;\n"
                "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> C[8];\n"
                "  wmma::load_matrix_sync(A, a, 16);\n  wmma::load_matrix_sync(B, a, 16);\n"
                "  for (int j = 0; j < 8; ++j) wmma::fill_fragment(C[j], 0);\n"
                "  for (int i = 0; i < 2000; ++i)\n    for (int j = 0; j < 8; ++j) wmma::mma_sync(C[j], A, "
                "B, C[j]);\n"
                "  for (int j = 1; j < 8; ++j)\n    for (int t = 0; t < C[0].num_elements; ++t) C[0].x[t] += "
                "C[j].x[t];\n"
                "  wmma::store_matrix_sync(c + (blockIdx.x * 8 + threadIdx.x / 32) * 256, C[0], 16, "
                "wmma::mem_row_major);\n}",
                "kernel<<<1056, 256, 0, stream>>>(reinterpret_cast<const half*>(a), c);") == "tensor");
}

TEST_CASE("sections, kernels and pages of ncu are chosen, and its report file is kept", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("ncu")) return;
  FibRun run;
  run.dataset.add_definition({1 << 20});
  const auto file = run.folder.path() / "a.cu";
  const std::string body =
      "(const float* a, const float* b, float* c, std::int64_t n) {\n"
      "  const std::int64_t i = blockIdx.x * 256LL + threadIdx.x;\n"
      "  if (i < n) c[i] = a[i] + b[i];\n}\n";
  const std::string sizes = "<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, b, c, n);\n";
  util::write_file_atomic(file, source_of("__global__ void first" + body + "__global__ void second" + body,
                                          "first" + sizes + "  second" + sizes));
  const auto profile = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        testing::fib_binary(), "profile",  file,     "--definition", "add", "--local",
        run.dataset.root(),    "--device", "cuda:0", "--timeout",    "120"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = testing::run_process(words, run.environment());
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return result.out;
  };
  const auto both = testing::checked_json(
      "profile", profile({"--format", "json", "--section", "SpeedOfLight", "--section", "LaunchStats"}));
  CHECK(both.at("profiled").at(0).at("kernels").size() == 2);
  const auto report = run.folder.path() / "kept.ncu-rep";
  const auto one = testing::checked_json("profile", profile({"--format", "json", "--set", "basic",
                                                             "--kernel-name", "second", "--output", report}));
  const auto& kernels = one.at("profiled").at(0).at("kernels");
  REQUIRE(kernels.size() == 1);
  CHECK_THAT(kernels.at(0).at("name").get<std::string>(), Catch::Contains("second"));
  CHECK(std::filesystem::file_size(report) > 1000);
  const std::string raw = profile({"--page", "raw", "--section", "SpeedOfLight"});
  CHECK_THAT(raw,
             Catch::Contains("gpu__time_duration") && Catch::Contains("first") && Catch::Contains("second"));
  CHECK_THAT(profile({"--page", "details", "--section", "LaunchStats"}),
             Catch::Contains("Launch Statistics"));
  CHECK_THAT(profile({"--page", "source", "--section", "SourceCounters"}), Catch::Contains("LDG"));
  const std::string cut = profile({"--page", "raw", "--section", "SpeedOfLight", "--max-lines", "5"});
  CHECK(std::count(cut.begin(), cut.end(), '\n') < std::count(raw.begin(), raw.end(), '\n') / 2);
}

TEST_CASE("ncu looks at Triton's kernels and at torch's", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto python = testing::python_with_torch();
  if (!python) return;
  if (!testing::has_cuda_tool("ncu")) return;
  Profile profile;
  profile.run.python = *python;
  const auto kernels_of = [&](const std::string& source) {
    const auto file = profile.run.folder.path() / "main.py";
    util::write_file_atomic(file, source);
    const auto result = testing::run_process(
        {testing::fib_binary(), "profile", file, "--definition", "add", "--local", profile.run.dataset.root(),
         "--device", "cuda:0", "--format", "json", "--set", "basic", "--timeout", "120"},
        profile.run.environment());
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
    return testing::checked_json("profile", result.out).at("profiled").at(0).at("kernels");
  };
  const auto triton = kernels_of(testing::triton_add());
  REQUIRE(triton.size() == 1);
  CHECK(triton[0].at("name") == "add_all");
  CHECK(triton[0].at("bottleneck").at("class") == "memory_bandwidth");
  // The copy of what was returned is fib's own.
  const auto torch = kernels_of("def run(a, b):\n    return a + b\n");
  REQUIRE(torch.size() == 1);
  CHECK(torch[0].at("bottleneck").at("class") == "memory_bandwidth");
  // A product of a library, as large as real ones.
  const auto product = kernels_of(
      "import torch\n\nm = None\n\n\ndef run(a, b):\n    global m\n    if m is None:\n"
      "        m = torch.randn(8192, 8192, device=a.device, dtype=torch.bfloat16)\n"
      "    return a + b + (m @ m)[0, 0] * 0\n");
  const auto is_product = [](const auto& kernel) { return kernel.at("bottleneck").at("class") == "tensor"; };
  CHECK(std::count_if(product.begin(), product.end(), is_product) == 1);
}
