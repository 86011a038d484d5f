#include "gpu/gpu.h"
#include "ops/gpu/gpu.h"
#include "reference/engine.h"
#include "reference/gpu_cases.h"

// The reference engine's GPU side against its CPU side, every operation forced onto the GPU.
namespace {

using namespace fib::test;  // NOLINT: all of it is used

std::shared_ptr<fib::ops::Gpu> reference_gpu() {
  static const auto* device = fib::testing::gpu();
  if (device == nullptr) return nullptr;
  static const auto gpu = fib::ops::open_gpu(device->info.uuid, 4);
  return gpu;
}

void check_all(const std::vector<GpuCase>& cases) {
  const auto gpu = reference_gpu();
  if (gpu == nullptr) return;
  for (const GpuCase& test : cases) {
    const std::string text = difference(test, gpu, false);
    if (!text.empty()) FAIL_CHECK(text);
  }
}

}  // namespace

TEST_CASE("references on the GPU: conversions between all dtypes", "[gpu][reference]") {
  check_all(conversion_cases({}));
}
TEST_CASE("references on the GPU: unary operations", "[gpu][reference]") {
  check_all(unary_cases(unary_names()));
}
TEST_CASE("references on the GPU: binary operations", "[gpu][reference]") {
  check_all(binary_cases(binary_names()));
}
TEST_CASE("references on the GPU: copies, views, choices", "[gpu][reference]") { check_all(copy_cases()); }
TEST_CASE("references on the GPU: reductions", "[gpu][reference]") {
  check_all(reduction_cases(arithmetic_dtypes()));
}
TEST_CASE("references on the GPU: softmax, scans, extremes", "[gpu][reference]") { check_all(row_cases()); }
TEST_CASE("references on the GPU: matrix products", "[gpu][reference]") { check_all(matrix_cases()); }
TEST_CASE("references on the GPU: indexing", "[gpu][reference]") { check_all(index_cases()); }
TEST_CASE("references on the GPU: small references", "[gpu][reference]") { check_all(program_cases()); }

TEST_CASE("references on the GPU: large transfers arrive whole", "[gpu][reference]") {
  const auto gpu = reference_gpu();
  if (gpu == nullptr) return;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{400} << 10U, (std::size_t{100} << 20U) + 3}) {
    std::vector<std::byte> from(bytes);
    for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i * 2654435761U >> 13U);
    std::vector<std::byte> to(bytes);
    const auto block = gpu->allocate(bytes);
    REQUIRE(block.address != 0);
    gpu->upload(block.address, from.data(), bytes);
    gpu->download(to.data(), block.address, bytes);
    gpu->release(block);
    INFO(bytes << " bytes");
    CHECK((from == to));
  }
}

TEST_CASE("references on the GPU: an engine names its GPU, and refuses one that is not there",
          "[gpu][reference]") {
  const auto* device = fib::testing::gpu();
  if (device == nullptr) return;
  const std::string source = "import torch\ndef run(a):\n    return (a @ a).sum()\n";
  fib::reference::EngineOptions options;
  options.gpu = fib::ops::open_gpu(device->info.uuid, 1);
  fib::reference::Engine engine(source, options);
  CHECK(engine.description().find("native (" + device->info.name + ", ") == 0);
  auto input = make_varied(DType::kFloat32, {1000, 1000}, 1);
  const double expected =
      to_host(fib::reference::Engine(source).run({input.argument()}).at(0)).values().at(0);
  CHECK(to_host(engine.run({input.argument()}).at(0)).values().at(0) == Approx(expected).epsilon(1e-4));
  CHECK_THROWS_WITH(fib::ops::open_gpu("GPU-00000000-0000-0000-0000-000000000000", 1),
                    Catch::Contains("no visible CUDA device"));
}
