#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <random>

#include "tensor/random_math.h"

// The recipe's functions against the C library's in higher precision.
namespace {

using fib::tensor::Normals;
using fib::tensor::u32;
using fib::tensor::u64;

TEST_CASE("the logarithms are right to a few units in the last place over their whole range") {
  double worst_float = 0;
  long double worst_double = 0;
  for (int step = 0; step <= 31 * 4096; ++step) {
    const float u = static_cast<float>(std::exp2(step / 4096.0 - 1));
    const double exact = std::log(static_cast<double>(u) * 0x1p-31);
    if (exact == 0) continue;
    worst_float = std::max(worst_float, std::fabs(fib::tensor::log_of_fraction(u) / exact - 1));
    const double d = std::exp2(step / 4096.0 * 53 / 31 - 1);
    const long double exact_double = std::log(static_cast<long double>(d) * 0x1p-52L);
    if (exact_double == 0) continue;
    worst_double = std::max(worst_double, std::fabs(fib::tensor::log_of_fraction(d) / exact_double - 1));
  }
  CHECK(worst_float < 3e-7);
  CHECK(worst_double < 4e-16L);
}

TEST_CASE(
    "sine and cosine are right to a few units in the last place on an eighth of a turn to either side") {
  double worst_float = 0;
  long double worst_double = 0;
  for (int step = -20000; step <= 20000; ++step) {
    const double x = step / 20000.0 * 0.78539816339744831;
    const float f = static_cast<float>(x);
    const auto wide = static_cast<double>(f);
    const auto wider = static_cast<long double>(x);
    worst_float = std::max(worst_float, std::fabs(fib::tensor::sine(f) - std::sin(wide)));
    worst_float = std::max(worst_float, std::fabs(fib::tensor::cosine(f) - std::cos(wide)));
    worst_double = std::max(worst_double, std::fabs(fib::tensor::sine(x) - std::sin(wider)));
    worst_double = std::max(worst_double, std::fabs(fib::tensor::cosine(x) - std::cos(wider)));
  }
  CHECK(worst_float < 1.2e-7);
  CHECK(worst_double < 2.3e-16L);
}

// What Box and Muller's formulas give in long double, from the numbers that the recipe describes.
Normals<long double> exact_normals(long double u, long double angle) {
  const long double radius = std::sqrt(-2 * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

TEST_CASE("pairs of normals are Box and Muller's, with all words") {
  constexpr long double kTurn = 6.283185307179586476925286766559L;
  std::mt19937_64 random(7);
  long double worst_float = 0;
  long double worst_double = 0;
  for (int i = 0; i < 200000; ++i) {
    const u64 a = random();
    const u64 b = random();
    const u32 radius_word = static_cast<u32>(a);
    const u32 angle_word = static_cast<u32>(b);
    const Normals<float> pair = fib::tensor::normals(radius_word, angle_word);
    // In float32, u is rounded to 24 bits and kept below 1.
    const float u = std::min(static_cast<float>(radius_word >> 1), 2147483520.0F) + 0.5F;
    const auto exact = exact_normals(u / 0x1p31L, (angle_word + 0.5L) / 0x1p32L * kTurn);
    const long double radius = std::hypot(exact.first, exact.second);
    worst_float = std::max({worst_float, std::fabs(pair.first - exact.first) / radius,
                            std::fabs(pair.second - exact.second) / radius});
    const Normals<double> wide = fib::tensor::normals(a, b);
    const auto exact_wide = exact_normals(((a >> 12) + 0.5L) / 0x1p52L, (b + 0.5L) / 0x1p64L * kTurn);
    worst_double = std::max(
        {worst_double, std::fabs(wide.first - exact_wide.first), std::fabs(wide.second - exact_wide.second)});
  }
  CHECK(worst_float < 5e-7L);
  CHECK(worst_double < 4e-15L);
}

TEST_CASE("normals are finite, never zero and bounded for every extreme word") {
  const u32 words[] = {0,           1,           2,           0x1fffffffU, 0x20000000U, 0x20000001U,
                       0x3fffffffU, 0x40000000U, 0x60000000U, 0x7fffffffU, 0x80000000U, 0xa0000000U,
                       0xc0000000U, 0xe0000000U, 0xdfffffffU, 0xfffffffeU, 0xffffffffU};
  for (const u32 radius_word : words) {
    for (const u32 angle_word : words) {
      const Normals<float> pair = fib::tensor::normals(radius_word, angle_word);
      const Normals<double> wide = fib::tensor::normals(static_cast<u64>(radius_word) << 32 | radius_word,
                                                        static_cast<u64>(angle_word) << 32 | angle_word);
      for (const double value : {static_cast<double>(pair.first), static_cast<double>(pair.second)}) {
        REQUIRE(value != 0);
        REQUIRE(std::fabs(value) <= 6.67);
      }
      for (const double value : {wide.first, wide.second}) {
        REQUIRE(value != 0);
        REQUIRE(std::fabs(value) <= 8.58);
      }
    }
  }
}

TEST_CASE("weights are the exponential times 2^12, whole, at least 1 and below 2^61") {
  double worst = 0;
  for (int step = -33400; step <= 33400; ++step) {
    const float x = static_cast<float>(step) / 1000.0F;
    const float weight = fib::tensor::exponential_weight(x);
    REQUIRE(weight >= 1);
    REQUIRE(weight < 2.3e18F);
    REQUIRE(static_cast<float>(static_cast<std::int64_t>(weight)) == weight);
    const double exact = std::max(std::exp(static_cast<double>(x)) * 4096, 1.0);
    worst = std::max(worst, std::fabs(static_cast<double>(weight) - exact) - exact * 4e-6);
  }
  CHECK(worst <= 1);  // cut, not rounded
}

}  // namespace
