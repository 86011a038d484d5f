#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "tensor/convert.h"
#include "tensor/fill.h"
#include "tensor/random.h"
#include "util/error.h"

namespace {

using fib::tensor::bytes_of;
using fib::tensor::DType;
using fib::tensor::fill_random;
using fib::tensor::u32;
using fib::tensor::u64;

constexpr DType kAll[] = {DType::kFloat64,      DType::kFloat32,    DType::kFloat16,    DType::kBFloat16,
                          DType::kFloat8E4M3FN, DType::kFloat8E5M2, DType::kFloat4E2M1, DType::kInt64,
                          DType::kInt32,        DType::kInt16,      DType::kInt8,       DType::kUInt8,
                          DType::kBool};

// Element `index` by the header's function for it, as the element's bits.
u64 scalar_bits(DType dtype, u64 key, u64 index) {
  using namespace fib::tensor;
  switch (dtype) {
    case DType::kFloat64:
      return bits_of_double(random_float64(key, index));
    case DType::kFloat32:
      return bits_of_float(random_float32(key, index));
    case DType::kFloat16:
      return random_float16(key, index);
    case DType::kBFloat16:
      return random_bfloat16(key, index);
    case DType::kFloat8E4M3FN:
      return random_float8_e4m3fn(key, index);
    case DType::kFloat8E5M2:
      return random_float8_e5m2(key, index);
    case DType::kFloat4E2M1:
      return random_float4_e2m1(key, index);
    case DType::kInt64:
      return static_cast<u64>(static_cast<i64>(random_integer(key, index)));
    case DType::kInt32:
      return static_cast<u32>(random_integer(key, index));
    case DType::kInt16:
      return static_cast<std::uint16_t>(random_integer(key, index));
    case DType::kInt8:
    case DType::kUInt8:
      return random_byte(key, index);
    case DType::kBool:
      return random_bool(key, index);
  }
  return 0;
}

std::vector<std::uint8_t> scalar_fill(DType dtype, u64 key, std::size_t count) {
  std::vector<std::uint8_t> bytes(bytes_of(dtype, count));
  const std::size_t size = fib::tensor::bits_of(dtype) / 8;
  for (std::size_t i = 0; i < count; ++i) {
    const u64 bits = scalar_bits(dtype, key, i);
    if (size == 0) {
      bytes[i / 2] = static_cast<std::uint8_t>(bytes[i / 2] | bits << (4 * (i % 2)));
    } else {
      std::memcpy(bytes.data() + i * size, &bits, size);
    }
  }
  return bytes;
}

TEST_CASE("filling gives the bits of the scalar functions, at any count and with any number of threads") {
  constexpr u64 kKey = 0xfedcba9876543210ULL;
  for (const DType dtype : kAll) {
    INFO(fib::tensor::name_of(dtype));
    const std::vector<std::uint8_t> expected = scalar_fill(dtype, kKey, 140001);
    for (const std::size_t count : {0, 1, 2, 3, 5, 15, 17, 511, 512, 1023, 1024, 1025, 4097, 70001, 140001}) {
      for (const unsigned threads : {0U, 1U, 2U, 3U, 7U}) {
        std::vector<std::uint8_t> bytes(bytes_of(dtype, count) + 16, 0xee);
        fill_random(dtype, kKey, bytes.data(), count, threads);
        std::vector<std::uint8_t> wanted(
            expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(bytes_of(dtype, count)));
        if (dtype == DType::kFloat4E2M1 && count % 2 != 0) wanted.back() &= 0x0f;
        wanted.insert(wanted.end(), 16, 0xee);
        REQUIRE(bytes == wanted);
      }
    }
  }
}

TEST_CASE("another key gives other elements") {
  for (const DType dtype : kAll) {
    INFO(fib::tensor::name_of(dtype));
    CHECK(scalar_fill(dtype, 1, 64) != scalar_fill(dtype, 2, 64));
    CHECK(scalar_fill(dtype, 1, 64) != scalar_fill(dtype, u64{1} << 32, 64));
  }
}

TEST_CASE("small floats are normals clamped to two, rounded to the dtype") {
  constexpr std::size_t kCount = 100000;
  std::vector<float> normals(kCount);
  fill_random(DType::kFloat32, 9, normals.data(), kCount, 1);
  for (const DType dtype : {DType::kFloat8E4M3FN, DType::kFloat8E5M2, DType::kFloat4E2M1}) {
    std::vector<std::uint8_t> codes(kCount);
    std::vector<float> values(kCount);
    fill_random(dtype, 9, codes.data(), kCount, 1);
    fib::tensor::to_float(dtype, codes.data(), values.data(), kCount);
    CHECK(*std::max_element(values.begin(), values.end()) == 2.0F);
    CHECK(*std::min_element(values.begin(), values.end()) == -2.0F);
    std::size_t far = 0;
    for (std::size_t i = 0; i < kCount; ++i)
      far += std::fabs(values[i] - std::clamp(normals[i], -2.0F, 2.0F)) > 0.25F ? 1U : 0U;
    CHECK(far == 0);
  }
}

TEST_CASE("probabilities are positive, sum to one in each row, and look like a softmax of normals") {
  for (const std::size_t columns : {1U, 3U, 1000U, 1024U, 128256U}) {
    const std::size_t rows = columns > 10000 ? 3 : 50;
    std::vector<float> values(rows * columns);
    fib::tensor::fill_probabilities(DType::kFloat32, 11, values.data(), rows, columns, 1);
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < columns; ++i) {
        const auto p = static_cast<double>(values[row * columns + i]);
        REQUIRE(p > 0);
        sum += p;
      }
      REQUIRE(sum == Approx(1).epsilon(2e-7));
    }
  }
}

TEST_CASE("a probability is the quotient of its weight and its row's sum of weights") {
  constexpr std::size_t kColumns = 1500;
  constexpr std::size_t kRows = 24;
  std::vector<float> values(kRows * kColumns);
  std::vector<double> wide(kRows * kColumns);
  fib::tensor::fill_probabilities(DType::kFloat32, 12, values.data(), kRows, kColumns, 2);
  fib::tensor::fill_probabilities(DType::kFloat64, 12, wide.data(), kRows, kColumns, 2);
  std::set<float> factors;
  for (std::size_t row = 0; row < kRows; ++row) {
    const float factor = fib::tensor::probability_factor(12, row);
    factors.insert(factor);
    std::vector<float> weights;
    u64 sum = 0;
    for (std::size_t i = 0; i < kColumns; ++i) {
      const float normal = fib::tensor::random_float32(12, row * kColumns + i);
      weights.push_back(fib::tensor::probability_weight(factor, normal));
      sum += static_cast<u64>(weights.back());
      const double exponential = std::exp(static_cast<double>(factor) * static_cast<double>(normal));
      REQUIRE(weights.back() == Approx(std::max(exponential * 4096, 1.0)).epsilon(1e-5).margin(1.1));
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
      REQUIRE(values[row * kColumns + i] == weights[i] / static_cast<float>(sum));
      REQUIRE(wide[row * kColumns + i] == static_cast<double>(weights[i]) / static_cast<double>(sum));
    }
  }
  CHECK(factors == std::set<float>{1, 3, 5});
}

TEST_CASE("probabilities of smaller dtypes are the float32 ones rounded, with any number of threads") {
  constexpr std::size_t kRows = 37;
  constexpr std::size_t kColumns = 1001;
  std::vector<float> values(kRows * kColumns);
  fib::tensor::fill_probabilities(DType::kFloat32, 13, values.data(), kRows, kColumns, 1);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat8E5M2}) {
    std::vector<std::uint8_t> expected(bytes_of(dtype, values.size()));
    fib::tensor::from_float(dtype, values.data(), expected.data(), values.size());
    for (const unsigned threads : {1U, 2U, 5U}) {
      std::vector<std::uint8_t> bytes(expected.size());
      fib::tensor::fill_probabilities(dtype, 13, bytes.data(), kRows, kColumns, threads);
      REQUIRE(bytes == expected);
    }
  }
}

TEST_CASE("pages of float8 keys hold normals by token, with a scale that uses the whole range") {
  constexpr std::size_t kPages = 9;
  constexpr std::size_t kTokens = 5;
  constexpr std::size_t kValues = 300;
  constexpr std::size_t kPageBytes = kTokens * (kValues + 4);
  std::vector<std::uint8_t> bytes(kPages * kPageBytes);
  fib::tensor::fill_fp8_pages(21, bytes.data(), kPages, kTokens, kValues, 3);
  for (std::size_t page = 0; page < kPages; ++page) {
    for (std::size_t token = 0; token < kTokens; ++token) {
      float scale = 0;
      std::memcpy(&scale, bytes.data() + page * kPageBytes + kTokens * kValues + token * 4, 4);
      const std::uint8_t* codes = bytes.data() + page * kPageBytes + token * kValues;
      float largest = 0;
      float largest_code = 0;
      for (std::size_t i = 0; i < kValues; ++i) {
        const std::size_t element = (page * kTokens + token) * kValues + i;
        const float normal = fib::tensor::random_float32(21, element);
        const float code = fib::tensor::float8_e4m3fn_to_float(codes[i]);
        REQUIRE(code * scale == Approx(normal).epsilon(0.07).margin(scale * 0.01));
        largest = std::max(largest, std::fabs(normal));
        largest_code = std::max(largest_code, std::fabs(code));
      }
      REQUIRE(scale * 448 == Approx(largest).epsilon(0.005));
      REQUIRE(largest_code == 448);
    }
  }
  std::vector<std::uint8_t> again(bytes.size());
  fib::tensor::fill_fp8_pages(21, again.data(), kPages, kTokens, kValues, 1);
  CHECK(again == bytes);
}

TEST_CASE("no rows and no columns write nothing; dtypes without fractions are refused") {
  float value = 5;
  fib::tensor::fill_probabilities(DType::kFloat32, 1, &value, 0, 10, 2);
  fib::tensor::fill_probabilities(DType::kFloat32, 1, &value, 10, 0, 2);
  CHECK(value == 5);
  CHECK_THROWS_AS(fib::tensor::fill_probabilities(DType::kInt32, 1, &value, 1, 1, 1), fib::Error);
  CHECK_THROWS_AS(fib::tensor::fill_probabilities(DType::kFloat4E2M1, 1, &value, 1, 1, 1), fib::Error);
}

}  // namespace

TEST_CASE("floats are scaled by powers of two, exactly") {
  using namespace fib::tensor;
  for (const DType dtype :
       {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat8E5M2}) {
    constexpr std::size_t kCount = 3000;  // more than one block
    std::vector<std::byte> bytes(bytes_of(dtype, kCount));
    fill_random(dtype, 7, bytes.data(), kCount, 1);
    std::vector<double> before(kCount);
    to_double(dtype, bytes.data(), before.data(), kCount);
    scale_by_power(dtype, bytes.data(), kCount, -4);
    std::vector<double> after(kCount);
    to_double(dtype, bytes.data(), after.data(), kCount);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const bool normal = std::abs(before[i]) >= 0.02;  // float8_e5m2 has little room below
      if (normal && after[i] != before[i] / 16) ++wrong;
    }
    CHECK(wrong == 0);
  }
  for (const int exponent : {-130, -16, 16, 130}) {  // beyond what factors of float32 can be
    float values[] = {0.0F, 0.75F, -1.5F};
    scale_by_power(DType::kFloat32, values, 3, exponent);
    for (int i = 0; i < 3; ++i)
      CHECK(values[i] == static_cast<float>(std::ldexp(i == 0 ? 0.0 : i == 1 ? 0.75 : -1.5, exponent)));
  }
  std::int32_t integer = 1;
  CHECK_THROWS_AS(scale_by_power(DType::kInt32, &integer, 1, 1), fib::Error);
}
