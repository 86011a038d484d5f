#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "eval/compare.h"
#include "tensor/convert.h"

namespace {

using fib::eval::make_poison;
using fib::tensor::DType;

std::uint64_t bits_of_poison(DType dtype, std::uint64_t random) {
  std::uint64_t bits = 0;
  const std::array<std::byte, 8> element = make_poison(dtype, random);
  std::memcpy(&bits, element.data(), sizeof bits);
  return bits;
}

TEST_CASE("the poison of floats is NaN with the quiet bit off, whatever the random bits") {
  struct Row {
    DType dtype;
    unsigned bits;
    std::uint64_t quiet_bit;
  };
  const Row rows[] = {{DType::kFloat64, 64, 1ULL << 51},
                      {DType::kFloat32, 32, 1ULL << 22},
                      {DType::kFloat16, 16, 1ULL << 9},
                      {DType::kBFloat16, 16, 1ULL << 6}};
  std::mt19937_64 random(3);
  for (const Row& row : rows) {
    INFO(fib::tensor::name_of(row.dtype));
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t drawn = i == 0 ? 0 : i == 1 ? ~std::uint64_t{0} : random();
      const std::uint64_t bits = bits_of_poison(row.dtype, drawn);
      double value = 0;
      fib::tensor::to_double(row.dtype, &bits, &value, 1);
      REQUIRE(std::isnan(value));
      REQUIRE((bits & row.quiet_bit) == 0);
      REQUIRE((row.bits == 64 || bits >> row.bits == 0));
      seen.insert(bits);
    }
    CHECK(seen.size() > 100);
  }
}

TEST_CASE("the poison of bool is a byte that is no truth value") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t random = 0; random < 1000; ++random) {
    const std::uint64_t bits = bits_of_poison(DType::kBool, random);
    REQUIRE(bits >= 2);
    REQUIRE(bits <= 255);
    seen.insert(bits);
  }
  CHECK(seen.size() == 254);
}

TEST_CASE("the poison of other dtypes is the random bits, and a float4 byte has two equal halves") {
  CHECK(bits_of_poison(DType::kInt64, 0x0123456789abcdefULL) == 0x0123456789abcdefULL);
  CHECK(bits_of_poison(DType::kInt32, 0x0123456789abcdefULL) == 0x89abcdefULL);
  CHECK(bits_of_poison(DType::kInt16, 0x0123456789abcdefULL) == 0xcdefULL);
  CHECK(bits_of_poison(DType::kFloat8E4M3FN, 0x0123456789abcdefULL) == 0xefULL);
  CHECK(bits_of_poison(DType::kFloat4E2M1, 0x0123456789abcde7ULL) == 0x77ULL);
}

TEST_CASE("a pattern repeats over all bytes and not beyond") {
  for (const std::size_t element_bytes : {1U, 2U, 4U, 8U}) {
    for (const std::size_t elements : {0U, 1U, 2U, 3U, 5U, 1000U, 16385U}) {
      const std::uint64_t element = 0x0807060504030201ULL;
      std::vector<std::uint8_t> bytes(elements * element_bytes + 1, 0xee);
      fib::eval::fill_pattern(bytes.data(), elements * element_bytes, &element, element_bytes);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i + 1 < bytes.size(); ++i) wrong += bytes[i] != i % element_bytes + 1 ? 1U : 0U;
      CHECK(wrong == 0);
      CHECK(bytes.back() == 0xee);
    }
  }
}

}  // namespace
