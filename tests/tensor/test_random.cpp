#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tensor/fill.h"
#include "tensor/random.h"

namespace {

using fib::tensor::DType;
using fib::tensor::RandomBlock;
using fib::tensor::u32;
using fib::tensor::u64;
using Words = std::array<u32, 4>;

// Philox4x32-10 written from the paper, with the whole counter.
Words philox(Words counter, std::array<u32, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const u64 first = u64{0xd2511f53} * counter[0];
    const u64 second = u64{0xcd9e8d57} * counter[2];
    counter = {static_cast<u32>(second >> 32) ^ counter[1] ^ key[0], static_cast<u32>(second),
               static_cast<u32>(first >> 32) ^ counter[3] ^ key[1], static_cast<u32>(first)};
    key[0] += 0x9e3779b9U;
    key[1] += 0xbb67ae85U;
  }
  return counter;
}

TEST_CASE("the tests' own Philox gives the known answers that its authors publish") {
  // From kat_vectors of Random123.
  CHECK(philox({}, {}) == Words{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U});
  CHECK(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}) ==
        Words{0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU});
  CHECK(philox({0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}, {0xa4093822U, 0x299f31d0U}) ==
        Words{0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U});
}

TEST_CASE("blocks are Philox of key and block number") {
  for (const u64 key : {u64{0}, u64{0x0123456789abcdef}, ~u64{0}}) {
    for (const u64 number : {u64{0}, u64{1}, u64{0xffffffff}, u64{0x100000000}, ~u64{0}}) {
      const RandomBlock block = fib::tensor::random_block(key, number);
      const Words expected = philox({static_cast<u32>(number), static_cast<u32>(number >> 32), 0, 0},
                                    {static_cast<u32>(key), static_cast<u32>(key >> 32)});
      CHECK(Words{block.word0, block.word1, block.word2, block.word3} == expected);
      for (u32 i = 0; i < 4; ++i) CHECK(fib::tensor::word_of(block, i) == expected[i]);
    }
  }
}

TEST_CASE("a key and an index give the same bits for ever") {
  // Computed by a separate program in another language, from the recipe's description.
  struct Row {
    u64 index;
    u32 float32;
    u64 float64;
    u32 byte;
    int integer;
    std::int64_t weight;
  };
  const Row rows[] = {
      {0x0ULL, 0x3de16beeU, 0xbfe6d4d346dc6a2aULL, 46, -466, 7101},
      {0x1ULL, 0xbf4d97ebU, 0x3fb8b7c0d5656821ULL, 34, -944, 73},
      {0x2ULL, 0xc00e4db4U, 0xbfdf262d97d894faULL, 80, -949, 1},
      {0x3ULL, 0x3e9a0fb4U, 0xbff6d1d637b6efbdULL, 184, 396, 18439},
      {0x4ULL, 0xbec317afU, 0x3fed92c1dcbd157aULL, 75, -992, 609},
      {0xf4243ULL, 0xc003c292U, 0xbff4196ce42ac26cULL, 86, 1023, 1},
      {0x400000002ULL, 0xbf25c8bcU, 0x3ff13608c3011fd2ULL, 4, 736, 160},
      {0x8000000000000005ULL, 0xbfce999dU, 0x3fc219a6924fea58ULL, 193, 897, 1},
  };
  constexpr u64 kKey = 0x0123456789abcdefULL;
  for (const Row& row : rows) {
    CHECK(std::bit_cast<u32>(fib::tensor::random_float32(kKey, row.index)) == row.float32);
    CHECK(std::bit_cast<u64>(fib::tensor::random_float64(kKey, row.index)) == row.float64);
    CHECK(fib::tensor::random_byte(kKey, row.index) == row.byte);
    CHECK(fib::tensor::random_bool(kKey, row.index) == (row.byte & 1));
    CHECK(fib::tensor::random_integer(kKey, row.index) == row.integer);
    CHECK(static_cast<std::int64_t>(fib::tensor::probability_weight(5, std::bit_cast<float>(row.float32))) ==
          row.weight);
    const float value = std::bit_cast<float>(row.float32);
    CHECK(fib::tensor::random_bfloat16(kKey, row.index) == fib::tensor::BFloat16Bits::encode(value));
  }
}

struct Moments {
  double mean = 0, variance = 0, skewness = 0, kurtosis = 0;
};

Moments moments_of(const std::vector<double>& values) {
  Moments m;
  for (const double x : values) {
    m.mean += x;
    m.variance += x * x;
    m.skewness += x * x * x;
    m.kurtosis += x * x * x * x;
  }
  const auto n = static_cast<double>(values.size());
  return {m.mean / n, m.variance / n, m.skewness / n, m.kurtosis / n};
}

std::vector<double> draw(DType dtype, u64 key, std::size_t count) {
  std::vector<double> values(count);
  if (dtype == DType::kFloat64) {
    fib::tensor::fill_random(dtype, key, values.data(), count, 1);
    return values;
  }
  std::vector<float> floats(count);
  fib::tensor::fill_random(dtype, key, floats.data(), count, 1);
  std::copy(floats.begin(), floats.end(), values.begin());
  return values;
}

TEST_CASE("normals have the moments of N(0,1)") {
  constexpr std::size_t kCount = 1 << 21;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (const u64 key : {u64{1}, u64{2}}) {
      const Moments m = moments_of(draw(dtype, key, kCount));
      const double error = 5 / std::sqrt(static_cast<double>(kCount));  // five standard errors of the mean
      CHECK(std::fabs(m.mean) < error);
      CHECK(std::fabs(m.variance - 1) < error * std::sqrt(2.0));
      CHECK(std::fabs(m.skewness) < error * std::sqrt(15.0));
      CHECK(std::fabs(m.kurtosis - 3) < error * std::sqrt(96.0));
    }
  }
}

TEST_CASE("normals have the distribution function of N(0,1), by Kolmogorov and Smirnov") {
  constexpr std::size_t kCount = 1 << 19;
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    std::vector<double> values = draw(dtype, 3, kCount);
    std::sort(values.begin(), values.end());
    double distance = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const double expected = 0.5 * std::erfc(-values[i] / std::sqrt(2.0));
      const double position = static_cast<double>(i) / kCount;
      distance = std::max({distance, expected - position, position + 1.0 / kCount - expected});
    }
    CHECK(distance * std::sqrt(static_cast<double>(kCount)) < 1.95);  // exceeded by one sample in 1000
  }
}

TEST_CASE("normals have the tails of N(0,1)") {
  constexpr std::size_t kCount = 1 << 22;
  const std::vector<double> values = draw(DType::kFloat32, 4, kCount);
  for (const double bound : {2.0, 3.0, 4.0, 4.5}) {
    const double expected = kCount * 0.5 * std::erfc(bound / std::sqrt(2.0));
    const auto above = std::count_if(values.begin(), values.end(), [&](double x) { return x > bound; });
    const auto below = std::count_if(values.begin(), values.end(), [&](double x) { return x < -bound; });
    CHECK(std::fabs(static_cast<double>(above) - expected) < 5 * std::sqrt(expected));
    CHECK(std::fabs(static_cast<double>(below) - expected) < 5 * std::sqrt(expected));
  }
}

TEST_CASE("neighbouring elements and neighbouring keys are uncorrelated") {
  constexpr std::size_t kCount = 1 << 20;
  const std::vector<double> values = draw(DType::kFloat32, 5, kCount);
  const std::vector<double> others = draw(DType::kFloat32, 6, kCount);
  const double bound = 5 * std::sqrt(static_cast<double>(kCount));
  for (const std::size_t lag : {1U, 2U, 3U, 4U, 8U, 1024U}) {
    double sum = 0;
    double squares = 0;  // of the squares, which Box and Muller's pairs would share if the radius were reused
    for (std::size_t i = 0; i + lag < kCount; ++i) {
      sum += values[i] * values[i + lag];
      squares += (values[i] * values[i] - 1) * (values[i + lag] * values[i + lag] - 1);
    }
    CHECK(std::fabs(sum) < bound);
    CHECK(std::fabs(squares) < 2 * bound);
  }
  double sum = 0;
  for (std::size_t i = 0; i < kCount; ++i) sum += values[i] * others[i];
  CHECK(std::fabs(sum) < bound);
}

// Pearson's statistic of counts that should be equal, in standard deviations from its mean.
double excess_of(const std::vector<std::size_t>& counts, std::size_t total) {
  const double expected = static_cast<double>(total) / static_cast<double>(counts.size());
  double statistic = 0;
  for (const std::size_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    statistic += difference * difference / expected;
  }
  const double freedom = static_cast<double>(counts.size() - 1);
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

TEST_CASE("integers and bools are uniform over their range") {
  constexpr std::size_t kCount = 1 << 20;
  std::vector<std::size_t> bytes(256);
  std::vector<std::size_t> integers(2048);
  std::vector<std::size_t> bools(2);
  std::vector<std::int8_t> small(kCount);
  std::vector<std::int64_t> wide(kCount);
  std::vector<std::uint8_t> flags(kCount);
  fib::tensor::fill_random(DType::kInt8, 8, small.data(), kCount, 1);
  fib::tensor::fill_random(DType::kInt64, 8, wide.data(), kCount, 1);
  fib::tensor::fill_random(DType::kBool, 8, flags.data(), kCount, 1);
  for (std::size_t i = 0; i < kCount; ++i) {
    ++bytes[static_cast<std::size_t>(small[i] + 128)];
    ++integers.at(static_cast<std::size_t>(wide[i] + 1024));
    ++bools.at(flags[i]);
  }
  CHECK(std::fabs(excess_of(bytes, kCount)) < 5);
  CHECK(std::fabs(excess_of(integers, kCount)) < 5);
  CHECK(std::fabs(excess_of(bools, kCount)) < 5);
}

}  // namespace
