#include <algorithm>
#include <cstdlib>
#include <map>

#include "compile/builder.h"
#include "compile/elf_symbols.h"
#include "compile/python_tests.h"
#include "compile/toolchain.h"
#include "compile/torch_headers.h"
#include "compile/torch_headers_builder.h"
#include "dataset/load.h"
#include "support/places.h"
#include "support/temporary.h"
#include "util/files.h"

using namespace fib;
using compile::TorchWay;
using model::DeviceKind;
using Outcome = compile::BuildResult::Outcome;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kModule = "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n";
const std::string kRun = "torch::Tensor run(torch::Tensor x) { return x; }\n" + kModule;

model::Solution extension(const std::string& source, const std::string& file = "main.cpp",
                          const json& more = json::object()) {
  json spec = {{"binding", "torch"}};
  spec.update(more);
  return testing::solution(file.ends_with(".cu") ? "cuda" : "cpp", file + "::run", {{file, source}}, spec);
}

struct Build {
  const testing::TemporaryFolder cache;
  compile::BuildResult operator()(const model::Solution& s,
                                  const compile::BuildTarget& target = {.torch = TorchWay::kHeaders}) const {
    return compile::build(s, testing::definition({"x"}, {"y"}), target, cache.path());
  }
  std::string failure(const std::string& source) const {
    const auto result = (*this)(extension(source));
    CHECK(result.outcome == Outcome::kFailed);
    return result.log;
  }
};

std::string including(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += "#include <" + name + ">\n";
  return text;
}

bool is_for_cuda(const std::string& name) {
  return name.find("cuda") != std::string::npos || name == "ATen/ceil_div.h";
}

// For a GPU that need not be there; nothing, with a message, where nvcc is not.
std::optional<compile::BuildTarget> gpu_target() {
  if (!FIB_CUDA) return std::nullopt;
  try {
    (void)compile::version_of(compile::Toolchain().nvcc);
  } catch (const Error& error) {
    WARN("skipped: " << error.what());
    return std::nullopt;
  }
  return compile::BuildTarget{
      .device = DeviceKind::cuda, .architecture = "sm_90a", .compilers = 2, .torch = TorchWay::kHeaders};
}

}  // namespace

TEST_CASE("every header of torch's that fib has stands with the others, in any order") {
  auto names = compile::torch_header_names();
  std::erase_if(names, is_for_cuda);
  const Build build;
  for (int i = 0; i < 2; ++i) {
    const auto built = build(extension(including(names) + kRun));
    INFO(built.log);
    CHECK(built.outcome == Outcome::kBuilt);
    std::reverse(names.begin(), names.end());
  }
}

TEST_CASE("the documentation lists every header") {
  const std::string text = util::read_file(testing::source_folder() / "docs/torch-headers.md");
  for (const auto& name : compile::torch_header_names()) {
    INFO(name);
    CHECK(text.find("`" + name + "`") != std::string::npos);
  }
  CHECK(text.find(compile::kTorchHeadersVersion) != std::string::npos);
}

TEST_CASE("an extension becomes a library without Python, and is found again") {
  const Build build;
  const auto s = extension("#include <torch/extension.h>\n" + kRun);
  const auto first = build(s);
  INFO(first.log);
  REQUIRE(first.outcome == Outcome::kBuilt);
  CHECK_FALSE(first.from_cache);
  const auto& artifact = first.artifact;
  CHECK(artifact.kind == compile::Artifact::Kind::kTorchHeaders);
  CHECK(artifact.symbol == "run");
  CHECK(artifact.module == model::package_name(s, "torch_"));
  CHECK(artifact.runtime == compile::torch_headers_runtime());
  CHECK(artifact.style.style == compile::CallingStyle::kValueReturning);
  CHECK(artifact.style.inferred);
  CHECK(compile::exported_functions(artifact.file).contains("fib_torch_extension_" + artifact.module));
  CHECK(build(s).from_cache);
  const auto other = build(extension("#include <torch/extension.h>\n" + kRun, "main.cpp",
                                     {{"compile_options", {{"cflags", {"-DX"}}}}}));
  CHECK_FALSE(other.from_cache);
}

TEST_CASE("what does not build says why, and where in the solution's own words") {
  const Build build;
  CHECK_THAT(build.failure("#include <torch/extension.h>\nint f() { return later; }\n"),
             Catch::StartsWith("main.cpp:2:18: error: "));
  CHECK_THAT(build.failure("#include <torch/nn.h>\n"), Catch::StartsWith("main.cpp:1:10: fatal error: "));
  CHECK(build.failure("#include <torch/extension.h>\n") ==
        "the extension is no Python module: PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) is missing");
  CHECK(build.failure("#include <torch/extension.h>\ntorch::Tensor run(torch::Tensor x) { return x; }\n"
                      "PYBIND11_MODULE(another, m) { m.def(\"run\", &run); }\n") ==
        "the extension is no Python module: PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) is missing");
  // Elements of a type that torch has not: nobody defines how they are found, there and here.
  const auto log = build.failure(
      "#include <torch/extension.h>\ntorch::Tensor run(torch::Tensor x) { x.data_ptr<char>(); return x; }\n" +
      kModule);
  CHECK_THAT(log, Catch::Contains("undefined reference to `char* at::Tensor::data_ptr<char>() const'"));
  CHECK_THAT(build.failure("#include <torch/extension.h>\n" + kRun + "int hidden();\nint seen = hidden();\n"),
             Catch::Contains("undefined reference to `hidden()'"));
}

TEST_CASE("what would differ from torch does not compile with the headers") {
  const std::map<std::string, std::string> cases = {
      // Formats that are read from strides, and accessors that outlive their tensor.
      {"torch::Tensor run(torch::Tensor x) { x.suggest_memory_format(); return x; }",
       "has no member named 'suggest_memory_format'"},
      {"torch::Tensor run(torch::Tensor x) { return x.contiguous(torch::MemoryFormat::ChannelsLast); }",
       "'ChannelsLast' is not a member of"},
      {"torch::Tensor run(torch::Tensor x) { x.t().accessor<float, 2>(); return x; }",
       "use of deleted function"},
      {"torch::Tensor run(torch::Tensor x) { x.t().packed_accessor32<float, 2>(); return x; }",
       "use of deleted function"},
      {"torch::Tensor run(torch::Tensor x) { x.t().packed_accessor64<float, 2>(); return x; }",
       "use of deleted function"},
      {"torch::Tensor run(torch::Tensor x) { x.t().generic_packed_accessor<float, 2>(); return x; }",
       "use of deleted function"},
      {"torch::Tensor run(torch::Tensor x) { std::numeric_limits<c10::Float8_e4m3fn>::infinity(); return x; "
       "}",
       "'infinity' is not a member of"},
      // Parameters of types that no argument is converted to.
      {"torch::Tensor run(std::vector<torch::Tensor> x) { return x[0]; }",
       "fib's torch headers have no parameters of this type"},
      {"torch::Tensor run(torch::Tensor x, at::Scalar s) { return x; }",
       "fib's torch headers have no parameters of this type"},
      {"torch::Tensor run(torch::Tensor x, std::optional<std::map<int, int>> m) { return x; }",
       "fib's torch headers have no parameters of this type"},
      {"torch::Tensor run(torch::Tensor x, char c) { return x; }",
       "fib's torch headers have no parameters of this type"},
  };
  const Build build;
  for (const auto& [source, sentence] : cases) {
    INFO(source);
    CHECK_THAT(build.failure("#include <torch/extension.h>\n" + source + kModule), Catch::Contains(sentence));
  }
}

TEST_CASE("another stream cannot become the current one, in whose order memory would have to be") {
  const auto target = gpu_target();
  if (!target) return;
  const Build build;
  for (const std::string name : {"CUDAStreamGuard", "OptionalCUDAStreamGuard", "setCurrentCUDAStream"}) {
    const auto result = build(
        extension("#include <torch/extension.h>\n#include <c10/cuda/CUDAGuard.h>\nusing c10::cuda::" + name +
                  ";\n" + kRun),
        *target);
    CHECK(result.outcome == Outcome::kFailed);
    CHECK_THAT(result.log,
               Catch::StartsWith("main.cpp:3:") && Catch::Contains("'" + name + "' has not been declared"));
  }
}

TEST_CASE("only what compilers and linkers found in a source says that the headers lack something") {
  for (const char* verdict :
       {"main.cpp:3:5: error: 'class at::Tensor' has no member named 'sum'\n",
        "main.cpp:1:10: fatal error: torch/nn.h: No such file or directory\n",
        "main.cu(4): error: identifier \"later\" is undefined\n",
        "/usr/bin/ld: 0.o: undefined reference to `hidden()'\ncollect2: error: ld returned 1 exit status\n",
        "ptxas error   : Entry function 'k' uses too much shared data\n",
        "the extension is no Python module: PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) is missing"}) {
    INFO(verdict);
    CHECK(compile::is_verdict(verdict));
  }
  for (const char* fault :
       {"the build used more than 4096 MiB of memory", "the build started more than 1000 processes",
        "the build made kernel.so with more than 512 MiB", "c++ ended with signal 11 (Segmentation fault)\n",
        "main.cpp:9:1: internal compiler error: Segmentation fault\n",
        "c++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n",
        "cc1plus: out of memory allocating 65536 bytes after a total of 1 bytes\nmain.cpp:1:1: error: x\n",
        "collect2: fatal error: ld terminated with signal 11 [Segmentation fault]\n",
        "/usr/bin/ld: final link failed: memory exhausted\ncollect2: error: ld returned 1 exit status\n",
        "nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)\n", ""}) {
    INFO(fault);
    CHECK_FALSE(compile::is_verdict(fault));
  }
}

TEST_CASE("automatically, what only torch could build is not decided without it") {
  const Build build;
  const auto result = build(extension("#include <torch/extension.h>\ntorch::Tensor run(torch::Tensor x) { "
                                      "return x.exp(); }\n" +
                                      kModule),
                            {});
  CHECK(result.outcome == Outcome::kUnsupported);
  CHECK_THAT(result.log, Catch::StartsWith("fib's torch headers do not build it (main.cpp:2:47: error: "));
  CHECK_THAT(result.log, Catch::EndsWith("and with torch itself: it needs Python, and no python3 was found "
                                         "(set FIB_PYTHON to one)"));
  CHECK(build(extension("#include <torch/extension.h>\n" + kRun), {}).outcome == Outcome::kBuilt);
}

TEST_CASE("extensions for a GPU: streams, guards, dispatch, accessors and atomics compile with nvcc") {
  const auto target = gpu_target();
  if (!target) return;
  const std::string kernel = R"(
template <typename scalar_t>
__global__ void twice(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x, scalar_t* y, float* sum) {
  using wide = at::acc_type<scalar_t, true>;
  __shared__ scalar_t last;
  for (int i = threadIdx.x; i < x.size(1); i += blockDim.x) {
    const wide value = static_cast<wide>(x[blockIdx.x][i]) * wide(2);
    y[blockIdx.x * x.size(1) + i] = static_cast<scalar_t>(value);
    last = static_cast<scalar_t>(value);
  }
  if (threadIdx.x == 0) gpuAtomicAdd(sum, static_cast<float>(last));
  if (threadIdx.x == 0) gpuAtomicAdd(y, static_cast<scalar_t>(0));
}
std::vector<torch::Tensor> run(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "x must be on a GPU");
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream(x.get_device());
  auto y = torch::empty_like(x);
  auto sum = torch::zeros({1}, x.options().dtype(torch::kFloat32));
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "twice", ([&] {
    twice<scalar_t><<<x.size(0), 128, 0, stream>>>(
        x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), y.data_ptr<scalar_t>(), sum.data_ptr<float>());
  }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  AT_CUDA_CHECK(cudaStreamSynchronize(at::cuda::getDefaultCUDAStream()));
  return {y, sum.to(torch::kCPU).to(x.device())};
}
)";
  const Build build;
  const auto built =
      build(extension(including(compile::torch_header_names()) + kernel + kModule, "main.cu"), *target);
  INFO(built.log);
  CHECK(built.outcome == Outcome::kBuilt);
  // Without a .cu of its own: what tensors on a GPU need comes with the headers.
  const auto host =
      build(extension("#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n"
                      "torch::Tensor run(torch::Tensor x) { at::cuda::getCurrentCUDAStream(); return "
                      "x.t().contiguous().to(torch::kHalf); }\n" +
                      kModule),
            *target);
  INFO(host.log);
  CHECK(host.outcome == Outcome::kBuilt);
}

// Minutes: FIB_TEST_REAL_EXTENSIONS is a part of their names ("rmsnorm"), or "all".
TEST_CASE("published torch extensions compile for a GPU with fib's headers", "[real_extensions]") {
  const char* wanted = std::getenv("FIB_TEST_REAL_EXTENSIONS");
  const fs::path data = testing::source_folder() / "../shared/data";
  if (wanted == nullptr || !fs::exists(data / "real/fib_a800/solutions")) {
    WARN("skipped: slow; set FIB_TEST_REAL_EXTENSIONS to \"all\" or a part of their names");
    return;
  }
  const auto target = gpu_target();
  if (!target) return;
  const Build build;
  const auto definitions = dataset::load(data / "flashinfer_trace", {}).definitions;
  for (const auto& file : fs::directory_iterator(data / "real/fib_a800/solutions")) {
    const auto solution = model::parse_solution(util::read_file(file.path()));
    if (std::string(wanted) != "all" && solution.name.find(wanted) == std::string::npos) continue;
    const auto result =
        compile::build(solution, definitions.at(solution.definition), *target, build.cache.path());
    // These fail with torch, too: a kernel that is not declared, a dtype that torch calls otherwise, a block
    // that is too large for CUB.
    const bool broken = solution.name.find("Qwen3.5-27B_rmsnorm") == 0 ||
                        solution.name.find("moe_fp8") != std::string::npos ||
                        solution.name.find("top_k_top_p") != std::string::npos;
    INFO(solution.name << ": " << result.log);
    CHECK((result.outcome == Outcome::kBuilt) == !broken);
  }
}
