#include <catch2/catch.hpp>

#include "emulation/emulation.h"
#include "ops/gpu/cuda_gpu.h"
#include "reference/gpu_cases.h"

// The reference engine's GPU side on an emulated device (tests/emulation): kernels as the host's compiler
// makes them, with its mathematical functions, so that results of element-wise operations must be the CPU's
// to the bit.
namespace {

using namespace fib::test;  // NOLINT: all of it is used
using fib::ops::Gpu;

std::shared_ptr<Gpu> emulated_gpu() {
  static const auto gpu =
      fib::ops::gpu::open_with(fib::emulation::driver(), fib::emulation::nvrtc(), fib::emulation::uuid(), 2);
  return gpu;
}

void check_all(const std::vector<GpuCase>& cases) {
  const std::size_t before = fib::emulation::launches();
  for (const GpuCase& test : cases) {
    const std::string text = difference(test, emulated_gpu(), true);
    INFO(text);
    CHECK(text.empty());
  }
  CHECK(fib::emulation::launches() - before > cases.size() / 3);  // it was the GPU's work
}

TEST_CASE("emulated GPU: conversions from and to float8", "[gpu-emulated]") {
  check_all(conversion_cases({DType::kFloat8E4M3FN}));
}

TEST_CASE("emulated GPU: some element-wise operations, all dtypes", "[gpu-emulated]") {
  check_all(unary_cases({"exp"}));
  check_all(binary_cases({"add"}));
}

TEST_CASE("emulated GPU: reductions", "[gpu-emulated]") {
  check_all(reduction_cases({DType::kFloat32, DType::kBFloat16, DType::kInt32}));
}

// Each operation is compiled for each dtype: many minutes.
TEST_CASE("emulated GPU: all conversions", "[.gpu-emulated-all]") { check_all(conversion_cases({})); }
TEST_CASE("emulated GPU: all unary operations", "[.gpu-emulated-all]") {
  check_all(unary_cases(unary_names()));
}
TEST_CASE("emulated GPU: all binary operations", "[.gpu-emulated-all]") {
  check_all(binary_cases(binary_names()));
}
TEST_CASE("emulated GPU: all reductions", "[.gpu-emulated-all]") {
  check_all(reduction_cases(arithmetic_dtypes()));
}

TEST_CASE("emulated GPU: copies, views, choices", "[gpu-emulated]") { check_all(copy_cases()); }
TEST_CASE("emulated GPU: softmax, scans, extremes", "[gpu-emulated]") { check_all(row_cases()); }
TEST_CASE("emulated GPU: matrix products", "[gpu-emulated]") { check_all(matrix_cases()); }
TEST_CASE("emulated GPU: indexing", "[gpu-emulated]") { check_all(index_cases()); }
TEST_CASE("emulated GPU: small references", "[gpu-emulated]") { check_all(program_cases()); }

}  // namespace
