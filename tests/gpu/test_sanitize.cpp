#include <nlohmann/json.hpp>

#include "gpu/gpu.h"
#include "support/fib_run.h"
#include "support/python.h"
#include "support/schema_check.h"

// `fib sanitize` of CUDA sources, by compute-sanitizer.
using namespace fib;
using testing::FibRun;

namespace {

constexpr const char* kHead = R"(#include <cuda_runtime.h>
#include <cstdint>
__global__ void kernel(const float* a, const float* b, float* c, std::int64_t n) {
)";
constexpr const char* kTail = R"(
}
extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, b, c, n);
  return cudaGetLastError();
}
)";
constexpr std::size_t kFirstLine = 4;  // of a kernel's body

struct Sanitize {
  FibRun run;
  Sanitize() { run.dataset.add_definition({1000}); }

  // What the tool says of a kernel with this body.
  [[nodiscard]] nlohmann::json operator()(const std::string& body, const std::string& tool) const {
    return of_file("a.cu", kHead + body + kTail, tool);
  }
  [[nodiscard]] nlohmann::json of_file(const std::string& name, const std::string& source,
                                       const std::string& tool) const {
    const auto file = run.folder.path() / name;
    util::write_file_atomic(file, source);
    const auto result = testing::run_process(
        {testing::fib_binary(), "sanitize", file, "--definition", "add", "--local", run.dataset.root(),
         "--device", "cuda:0", "--tool", tool, "--format", "json", "--timeout", "120"},
        run.environment());
    INFO(result.out << result.err);
    return testing::checked_json("sanitize", result.out).at("examined").at(0);
  }
  void finds(const std::string& body, const std::string& tool, const std::string& words) const {
    const auto examined = (*this)(body, tool);
    INFO(examined.dump(2));
    REQUIRE(examined.at("findings").size() >= 1);
    const auto& finding = examined["findings"][0];
    CHECK_THAT(finding.at("message").get<std::string>(), Catch::Contains(words));
    CHECK(finding.at("file") == "a.cu");
    CHECK(finding.at("line") >= kFirstLine);
    CHECK(finding.at("source").is_string());
  }
};

}  // namespace

TEST_CASE("compute-sanitizer finds what a kernel does wrong, and where", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("compute-sanitizer")) return;
  const Sanitize sanitize;
  const std::string index = "  const std::int64_t i = blockIdx.x * 256LL + threadIdx.x;\n";
  const std::string honest = index + "  if (i < n) c[i] = a[i] + b[i];";
  for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    const auto clean = sanitize(honest, tool);
    INFO(clean.dump(2));
    CHECK(clean.at("status") == "clean");
  }
  sanitize.finds(index + "  if (i <= n) c[i] = 1;", "memcheck", "Invalid __global__ write of size 4 bytes");
  sanitize.finds("  __shared__ float s[256];\n  s[threadIdx.x] = a[0];\n" + index +
                     "  if (i < n) c[i] = s[(threadIdx.x + 33) % 256];",
                 "racecheck", "ace");
  sanitize.finds(index + "  if (i < n) c[i] += a[i] + b[i];", "initcheck", "Uninitialized");
  sanitize.finds("  if (threadIdx.x < 16) __syncthreads();\n" + honest, "synccheck", "Barrier error");
}

TEST_CASE("compute-sanitizer looks at Triton's kernels and at torch's", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto python = testing::python_with_torch();
  if (!python) return;
  if (!testing::has_cuda_tool("compute-sanitizer")) return;
  Sanitize sanitize;
  sanitize.run.python = *python;
  for (const std::string& source :
       {testing::triton_add(), std::string("def run(a, b):\n    return a + b\n")}) {
    const auto clean = sanitize.of_file("main.py", source, "memcheck");
    INFO(clean.dump(2));
    CHECK(clean.at("status") == "clean");
  }
  const auto over = sanitize.of_file("main.py", testing::triton_add("n + 1"), "memcheck");
  INFO(over.dump(2));
  REQUIRE(over.at("findings").size() >= 1);
  const auto& finding = over["findings"][0];
  CHECK_THAT(finding.at("message").get<std::string>(), Catch::StartsWith("Invalid __global__ write of size"));
  CHECK(finding.at("file") == "main.py");
  CHECK(finding.at("line") == 8);
}

TEST_CASE("a solution under compute-sanitizer reaches no file of the user", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("compute-sanitizer")) return;
  const Sanitize sanitize;
  const auto secret = sanitize.run.folder.path() / "secret";
  util::write_file_atomic(secret, "the secret");
  const std::string reads = R"(
#include <cstdio>
static struct Reader {
  Reader() {
    char text[64] = {};
    FILE* const file = std::fopen(")" +
                            secret.string() + R"(", "r");
    if (file != nullptr && std::fgets(text, sizeof text, file) != nullptr) std::printf("read: %s\n", text);
    std::printf("tried\n");
  }
} reader;
)";
  const std::string honest =
      "  const std::int64_t i = blockIdx.x * 256LL + threadIdx.x;\n  if (i < n) c[i] = a[i] + b[i];";
  const auto clean = sanitize.of_file("a.cu", reads + kHead + honest + kTail, "memcheck");
  INFO(clean.dump(2));
  CHECK(clean.at("status") == "clean");
  const std::string output = clean.at("output");
  CHECK_THAT(output, Catch::Contains("tried") && !Catch::Contains("the secret"));
}
