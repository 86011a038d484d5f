#include <cstring>

#include "gpu/gpu.h"
#include "tensor/fill.h"

using namespace fib;
using tensor::DType;

namespace {

const std::vector<DType> kAll = {
    DType::kFloat64,    DType::kFloat32,    DType::kFloat16, DType::kBFloat16, DType::kFloat8E4M3FN,
    DType::kFloat8E5M2, DType::kFloat4E2M1, DType::kInt64,   DType::kInt32,    DType::kInt16,
    DType::kInt8,       DType::kUInt8,      DType::kBool};

}  // namespace

TEST_CASE("random inputs have the host's bits for every dtype and length", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  for (const DType dtype : kAll) {
    for (const std::size_t count : {1UL, 3UL, 17UL, 1000UL, 1000003UL}) {
      const std::size_t bytes = tensor::bytes_of(dtype, count);
      std::vector<std::byte> expected(bytes);
      tensor::fill_random(dtype, 0x123456789abcdef0U + count, expected.data(), count, 2);
      const device::cuda::DeviceMemory memory(gpu->context, bytes + 256);
      gpu->kernels.poison(0x5a5a5a5a5a5a5a5aU, memory.data(), bytes + 256);
      gpu->kernels.fill_random(dtype, 0x123456789abcdef0U + count, memory.data(), count);
      const auto got = gpu->download(memory.data(), bytes + 256);
      INFO(tensor::name_of(dtype) << " " << count);
      CHECK(std::memcmp(got.data(), expected.data(), bytes) == 0);
      // Nothing beyond the end is touched.
      bool untouched = true;
      for (std::size_t i = bytes; i < got.size(); ++i) untouched &= got[i] == std::byte{0x5a};
      CHECK(untouched);
    }
  }
}

TEST_CASE("floats that are scaled by a power of two have the host's bits", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16,
                            DType::kFloat8E4M3FN, DType::kFloat8E5M2}) {
    // The last ones reach subnormals and what rounds to zero or overflows.
    for (const int exponent : {1, -1, 4, -4, 9, -9, -17, -27, 130, -135, -145, -160}) {
      const std::size_t count = 100003;
      std::vector<std::byte> expected(tensor::bytes_of(dtype, count));
      tensor::fill_random(dtype, 7, expected.data(), count, 2);
      const auto memory = gpu->upload(expected.data(), expected.size());
      tensor::scale_by_power(dtype, expected.data(), count, exponent);
      gpu->kernels.scale_by_power(dtype, memory.data(), count, exponent);
      INFO(tensor::name_of(dtype) << " " << exponent);
      CHECK(gpu->download(memory.data(), expected.size()) == expected);
    }
  }
}

TEST_CASE("pages of float8 keys have the host's bits", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  for (const auto& [pages, tokens, values] :
       std::vector<std::tuple<std::size_t, std::size_t, std::size_t>>{{1, 1, 1}, {3, 5, 7}, {300, 64, 128}}) {
    std::vector<std::byte> expected(pages * tokens * (values + 4));
    tensor::fill_fp8_pages(42, expected.data(), pages, tokens, values, 2);
    const device::cuda::DeviceMemory memory(gpu->context, expected.size());
    gpu->kernels.fill_fp8_pages(42, memory.data(), pages, tokens, values);
    INFO(pages << " x " << tokens << " x " << values);
    CHECK(gpu->download(memory.data(), expected.size()) == expected);
  }
}

TEST_CASE("probabilities have the host's bits", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16,
                            DType::kFloat8E4M3FN, DType::kFloat8E5M2}) {
    for (const auto& [rows, columns] :
         std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {3, 7}, {5, 32000}}) {
      const std::size_t bytes = tensor::bytes_of(dtype, rows * columns);
      std::vector<std::byte> expected(bytes);
      tensor::fill_probabilities(dtype, 42, expected.data(), rows, columns, 2);
      const device::cuda::DeviceMemory memory(gpu->context, bytes);
      gpu->kernels.fill_probabilities(dtype, 42, memory.data(), rows, columns);
      INFO(tensor::name_of(dtype) << " " << rows << " x " << columns);
      CHECK(gpu->download(memory.data(), bytes) == expected);
    }
  }
}
