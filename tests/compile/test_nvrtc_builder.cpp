#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "compile/builder.h"
#include "compile/device_kernels.h"
#include "compile/nvrtc.h"
#include "compile/nvrtc_builder.h"
#include "cuda/library.h"
#include "dataset/load.h"
#include "support/places.h"
#include "support/temporary.h"
#include "util/error.h"
#include "util/files.h"

using namespace fib;
using Outcome = compile::BuildResult::Outcome;
using nlohmann::json;

// NVRTC compiles without a GPU; where it is not installed these tests have nothing to look at.
namespace {

bool nvrtc_is_here() {
  try {
    (void)compile::nvrtc_version();
    return true;
  } catch (const Error& error) {
    WARN("skipped: " << error.what());
    return false;
  }
}

model::Definition definition() {
  return model::parse_definition(R"({"name": "d", "op_type": "x", "axes": {"n": {"type": "var"}},
    "inputs": {"a": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"c": {"shape": ["n"], "dtype": "float32"}},
    "reference": "def run(a):\n    return a\n"})");
}

model::Solution solution(const json& sources, const json& extra_spec = json::object()) {
  json spec = {{"language", "cuda"},
               {"target_hardware", {"cuda"}},
               {"entry_point", "src/a.cu::run"},
               {"launch", {{"grid", "ceil_div(n, 256)"}, {"block", 256}}}};
  spec.update(extra_spec);
  return model::parse_solution(
      json{{"name", "s"}, {"definition", "d"}, {"author", "a"}, {"spec", spec}, {"sources", sources}}.dump());
}

const std::string kCopy =
    "extern \"C\" __global__ void run(const float* a, float* c, long long n) {\n"
    "  const long long i = blockIdx.x * 256LL + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i];\n}\n";

model::Solution single(const std::string& source, const json& extra_spec = json::object()) {
  return solution({{{"path", "src/a.cu"}, {"content", source}}}, extra_spec);
}

compile::BuildResult build(const model::Solution& s, const testing::TemporaryFolder& cache) {
  return compile::build(s, definition(), {model::DeviceKind::cuda, "sm_90a"}, cache.path());
}

}  // namespace

TEST_CASE("kernels become a cubin with their names, and the second build finds it") {
  if (!nvrtc_is_here()) return;
  const testing::TemporaryFolder cache;
  const auto first = build(single(kCopy), cache);
  INFO(first.log);
  REQUIRE(first.outcome == Outcome::kBuilt);
  CHECK_FALSE(first.from_cache);
  CHECK(first.artifact.kind == compile::Artifact::Kind::kKernels);
  CHECK(first.artifact.kernels == std::vector<std::string>{"run"});
  CHECK(util::read_file(first.artifact.file).substr(0, 4) ==
        "\x7f"
        "ELF");
  const auto second = build(single(kCopy), cache);
  CHECK(second.from_cache);
  CHECK(second.artifact.file == first.artifact.file);
  CHECK(second.artifact.kernels == first.artifact.kernels);
}

TEST_CASE("templates are instantiated by name expression, headers are found by their paths") {
  if (!nvrtc_is_here()) return;
  const testing::TemporaryFolder cache;
  const json sources = {
      {{"path", "src/a.cu"},
       {"content",
        "#include \"near.cuh\"\n#include \"lib/far.cuh\"\n"
        "template <int N, typename T> __global__ void f(const T* a, T* c) { c[near()] = a[far()] + N; }\n"}},
      {{"path", "src/near.cuh"}, {"content", "__device__ inline int near() { return 1; }\n"}},
      {{"path", "lib/far.cuh"},
       {"content", "#include \"deep.cuh\"\n__device__ inline int far() { return deep; }\n"}},
      {{"path", "lib/deep.cuh"}, {"content", "constexpr int deep = 2;\n"}}};
  const json launch = {{{"kernel", "f<4, float>"}, {"grid", 1}, {"block", 32}, {"args", {"a", "c"}}},
                       {{"kernel", "f<8, float>"}, {"grid", 1}, {"block", 32}, {"args", {"a", "c"}}},
                       {{"kernel", "f<4, float>"}, {"grid", 2}, {"block", 32}, {"args", {"a", "c"}}}};
  const auto result = build(solution(sources, {{"launch", launch}}), cache);
  INFO(result.log);
  REQUIRE(result.outcome == Outcome::kBuilt);
  REQUIRE(result.artifact.kernels.size() == 3);
  CHECK(result.artifact.kernels[0] == result.artifact.kernels[2]);
  CHECK(result.artifact.kernels[0] != result.artifact.kernels[1]);
}

TEST_CASE("a failed build's log begins with the error, in the solution's own file names") {
  if (!nvrtc_is_here()) return;
  const testing::TemporaryFolder cache;
  const auto result = build(single("__global__ void run() { undeclared(); }\n"), cache);
  CHECK(result.outcome == Outcome::kFailed);
  CHECK(result.log.find("src/a.cu(1): error: identifier \"undeclared\" is undefined") == 0);
  const auto plan = build(single(kCopy, {{"launch", {{"grid", "q"}, {"block", 1}}}}), cache);
  CHECK(plan.outcome == Outcome::kFailed);
  CHECK(plan.log == "spec: launch.grid: expression \"q\": \"q\" is no axis of definition d");
}

TEST_CASE("options are honoured, nvcc's levels of optimisation are dropped, others are refused by NVRTC") {
  if (!nvrtc_is_here()) return;
  const testing::TemporaryFolder cache;
  const auto with = [&](const json& flags) {
    return build(single("#ifndef WANTED\n#error not wanted\n#endif\n" + kCopy,
                        {{"compile_options", {{"cuda_cflags", flags}}}}),
                 cache);
  };
  CHECK(with({"-DWANTED", "-O3"}).outcome == Outcome::kBuilt);
  CHECK(with(json::array()).outcome == Outcome::kFailed);
  const auto refused = with({"-DWANTED", "--no-such-option"});
  CHECK(refused.outcome == Outcome::kFailed);
  CHECK(refused.log.find("no-such-option") != std::string::npos);
}

TEST_CASE("a solution that needs CUTLASS says how to name it") {
  if (!nvrtc_is_here()) return;
  const testing::TemporaryFolder cache;
  const auto needs = single("#include \"cutlass/here.h\"\n" + kCopy, {{"dependencies", {"cutlass"}}});
  ::unsetenv("CUTLASS_PATH");
  const auto without = build(needs, cache);
  CHECK(without.outcome == Outcome::kUnsupported);
  CHECK(without.log.find("set CUTLASS_PATH") != std::string::npos);
  util::write_file_atomic(cache.path() / "checkout/include/cutlass/here.h", "");
  ::setenv("CUTLASS_PATH", (cache.path() / "checkout").c_str(), 1);
  const auto with = build(needs, cache);
  ::unsetenv("CUTLASS_PATH");
  INFO(with.log);
  CHECK(with.outcome == Outcome::kBuilt);
}

// With CUTLASS's own headers, where CUTLASS_PATH of the environment named some when the tests began.
const char* const kCutlassHere = std::getenv("CUTLASS_PATH");
const std::string kCutlassPath = kCutlassHere == nullptr ? "" : kCutlassHere;

TEST_CASE("a kernel on CuTe's tensors and CUTLASS's conversions is compiled with CUTLASS's own headers") {
  if (!nvrtc_is_here()) return;
  if (kCutlassPath.empty()) {
    WARN("skipped: no CUTLASS_PATH");
    return;
  }
  const testing::TemporaryFolder cache;
  ::setenv("CUTLASS_PATH", kCutlassPath.c_str(), 1);
  const auto source = util::read_file(testing::source_folder() / "tests/hostile/cuda/cutlass.cu");
  const auto result = build(single(source, {{"dependencies", {"cutlass"}}}), cache);
  ::unsetenv("CUTLASS_PATH");
  INFO(result.log);
  CHECK(result.outcome == Outcome::kBuilt);
}

TEST_CASE("headers of CUDA and CCCL are found where a toolkit is installed") {
  if (!nvrtc_is_here()) return;
  bool toolkit = false;
  for (const auto& folder : cuda::include_folders())
    toolkit |= std::filesystem::exists(folder / "cub/cub.cuh");
  if (!toolkit) {
    WARN("skipped: no CCCL headers");
    return;
  }
  const testing::TemporaryFolder cache;
  const auto result =
      build(single("#include <cuda_bf16.h>\n#include <cub/block/block_reduce.cuh>\n" + kCopy), cache);
  INFO(result.log);
  CHECK(result.outcome == Outcome::kBuilt);
}

TEST_CASE("fib's own kernels compile, once") {
  if (!nvrtc_is_here()) return;
  const testing::TemporaryFolder cache;
  const auto file = compile::device_kernels("sm_90a", cache.path());
  const std::string cubin = util::read_file(file);
  for (const char* kernel :
       {"fib_fill_float4_e2m1", "fib_compare_bool", "fib_spin", "fib_read", "fib_poison"}) {
    CHECK(cubin.find(kernel) != std::string::npos);
  }
  const auto time = std::filesystem::last_write_time(file);
  CHECK(compile::device_kernels("sm_90a", cache.path()) == file);
  CHECK(std::filesystem::last_write_time(file) == time);
  CHECK_THROWS_WITH(compile::device_kernels("sm_999", cache.path()),
                    Catch::Contains("cannot compile for sm_999"));
}

TEST_CASE("all CUDA solutions of the examples compile") {
  if (!nvrtc_is_here()) return;
  const testing::TemporaryFolder cache;
  const auto examples = dataset::load(testing::source_folder() / "dataset-examples", {});
  std::size_t built = 0;
  for (const auto& [name, solution] : examples.solutions) {
    if (solution.spec.language != model::Language::cuda) continue;
    const auto result = compile::build(solution, examples.definitions.at(solution.definition),
                                       {model::DeviceKind::cuda, "sm_90a"}, cache.path());
    INFO(name << ": " << result.log);
    CHECK(result.outcome == Outcome::kBuilt);
    ++built;
  }
  CHECK(built >= 2 * examples.definitions.size());
}
