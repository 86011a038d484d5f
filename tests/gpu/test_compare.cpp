#include <cmath>
#include <cstring>
#include <random>

#include "device/cuda/compare.h"
#include "eval/compare.h"
#include "gpu/gpu.h"
#include "tensor/fill.h"

using namespace fib;
using tensor::DType;

namespace {

std::uint64_t pattern_of(DType dtype, const std::array<std::byte, 8>& element) {
  std::uint64_t pattern = 0;
  eval::fill_pattern(&pattern, 8, element.data(), std::max<std::size_t>(1, tensor::bits_of(dtype) / 8));
  return pattern;
}

// Both comparisons of one pair of buffers must say the same.
void check_same(testing::Gpu& gpu, DType dtype, const std::vector<std::byte>& got,
                const std::vector<std::byte>& expected, std::size_t count,
                const std::array<std::byte, 8>& poison) {
  const eval::Tolerance tolerance;
  const auto host = eval::compare(dtype, got.data(), expected.data(), count, tolerance, poison.data(), 2);
  const auto got_memory = gpu.upload(got.data(), got.size());
  const auto expected_memory = gpu.upload(expected.data(), expected.size());
  device::cuda::Comparer comparer(gpu.context, gpu.kernels);
  const auto device = comparer.compare(dtype, got_memory.data(), expected_memory.data(), count,
                                       pattern_of(dtype, poison), tolerance.atol, tolerance.rtol);
  CHECK(device.bad == host.mismatched);
  CHECK(device.unwritten == host.unwritten);
  CHECK((device.bad == 0) == !host.first_bad.has_value());
  if (host.first_bad)
    CHECK((device.unwritten > 0 ? device.first_unwritten : device.first_bad) == *host.first_bad);
  if (std::isnan(host.max_absolute_error)) {
    CHECK(device.nan_disagrees == 1);
  } else if (std::isinf(host.max_absolute_error)) {
    CHECK(device.infinity_disagrees == 1);
  } else {
    CHECK(device.absolute_error == host.max_absolute_error);
    CHECK(device.relative_error == host.max_relative_error);
  }
}

}  // namespace

TEST_CASE("the device's comparison says what the host's says, for every dtype", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  std::mt19937_64 random(7);
  for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16,
                            DType::kFloat8E4M3FN, DType::kFloat8E5M2, DType::kFloat4E2M1, DType::kInt64,
                            DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8, DType::kBool}) {
    for (const std::size_t count : {1UL, 5UL, 16UL, 1001UL, 300007UL}) {
      for (const int changes : {0, 1, 20}) {
        std::vector<std::byte> expected(tensor::bytes_of(dtype, count));
        tensor::fill_random(dtype, random(), expected.data(), count, 1);
        auto got = expected;
        const auto poison = eval::make_poison(dtype, random());
        const std::size_t element = std::max<std::size_t>(1, tensor::bits_of(dtype) / 8);
        for (int i = 0; i < changes; ++i) {
          // Any bits: infinities and NaN on both sides, large and tiny errors; sometimes a stretch of poison.
          const std::size_t at = random() % (got.size() / element) * element;
          const auto bits = random();
          std::memcpy((i % 3 == 2 ? expected : got).data() + at, &bits, element);
        }
        if (changes == 20) {
          const std::size_t begin = random() % (got.size() / element) * element;
          const std::size_t bytes = std::min<std::size_t>(got.size() - begin, 8 * (1 + random() % 5));
          eval::fill_pattern(got.data() + begin, bytes, poison.data(), element);
        }
        INFO(tensor::name_of(dtype) << " count " << count << " changes " << changes);
        check_same(*gpu, dtype, got, expected, count, poison);
      }
    }
  }
}

TEST_CASE("an output that was never written is found whole", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  for (const DType dtype : {DType::kFloat32, DType::kInt8, DType::kFloat4E2M1, DType::kInt64, DType::kBool}) {
    const std::size_t count = 1003;
    std::vector<std::byte> expected(tensor::bytes_of(dtype, count));
    tensor::fill_random(dtype, 3, expected.data(), count, 1);
    const auto poison = eval::make_poison(dtype, 0x9876543210fedcbaU);
    std::vector<std::byte> got(expected.size());
    eval::fill_pattern(got.data(), got.size(), poison.data(),
                       std::max<std::size_t>(1, tensor::bits_of(dtype) / 8));
    INFO(tensor::name_of(dtype));
    check_same(*gpu, dtype, got, expected, count, poison);
  }
}
