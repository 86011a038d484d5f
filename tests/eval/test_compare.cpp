#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "eval/compare.h"
#include "tensor/convert.h"
#include "tensor/fill.h"

namespace {

using fib::eval::compare;
using fib::eval::Comparison;
using fib::eval::make_poison;
using fib::eval::Tolerance;
using fib::tensor::DType;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint64_t kRandom = 0x0123456789abcdefULL;

template <typename Element>
Comparison run(DType dtype, const std::vector<Element>& got, const std::vector<Element>& expected,
               const Tolerance& tolerance = {}, unsigned threads = 1) {
  const auto poison = make_poison(dtype, kRandom);
  return compare(dtype, got.data(), expected.data(), got.size(), tolerance, poison.data(), threads);
}

Comparison floats(const std::vector<float>& got, const std::vector<float>& expected) {
  return run(DType::kFloat32, got, expected);
}

// The dataset's example: outputs off by fractions of 0.01 + 0.01 |expected|.
Comparison off_by(const std::array<float, 3>& fractions) {
  const std::vector<float> expected = {0, 10, -2};
  std::vector<float> got = expected;
  for (std::size_t i = 0; i < 3; ++i) got[i] += fractions[i] * (0.01F + 0.01F * std::fabs(expected[i]));
  return floats(got, expected);
}

TEST_CASE("outputs within the tolerance match fully") {
  const Comparison result = off_by({0.5F, -0.9F, 0.3F});
  CHECK(result.count == 3);
  CHECK(result.mismatched == 0);
  CHECK(result.matched_ratio() == 1);
  CHECK_FALSE(result.first_bad.has_value());
  CHECK(result.max_absolute_error == Approx(0.099).epsilon(1e-4));
}

TEST_CASE("an element fails only if its absolute and its relative error are both too large") {
  const Comparison result = off_by({0.5F, -1.2F, 0.3F});
  CHECK(result.mismatched == 1);
  CHECK(result.first_bad == 1U);
  CHECK(result.matched_ratio() == Approx(2.0 / 3));
  CHECK(result.max_absolute_error == Approx(0.132).epsilon(1e-4));
  CHECK(floats({0.005F}, {0}).mismatched == 0);   // small, though infinitely large beside 0
  CHECK(floats({1005}, {1000}).mismatched == 0);  // large, but small beside 1000
  CHECK(floats({0.005F}, {0}).max_relative_error == Approx(0.005 / 1e-8));
  CHECK(floats({0.02F}, {0}).mismatched == 1);
}

TEST_CASE("an empty output has no errors and matches") {
  const Comparison result = floats({}, {});
  CHECK(result.count == 0);
  CHECK(result.max_absolute_error == 0);
  CHECK(result.max_relative_error == 0);
  CHECK(result.matched_ratio() == 1);
  CHECK_FALSE(result.first_bad.has_value());
}

TEST_CASE("infinities and NaN match at the same place and nowhere else") {
  CHECK(floats({kInf, -kInf, kNaN, 1}, {kInf, -kInf, -kNaN, 1.001F}).mismatched == 0);
  const float others[] = {1, 0, kInf, -kInf, kNaN};
  for (const float x : others) {
    for (const float y : others) {
      const bool same = x == y || (std::isnan(x) && std::isnan(y));
      if (same || (std::isfinite(x) && std::isfinite(y))) continue;
      const Comparison result = floats({2, x}, {2, y});
      INFO(x << " beside " << y);
      CHECK(result.mismatched == 1);
      CHECK(result.first_bad == 1U);
      const bool nan = std::isnan(x) || std::isnan(y);
      CHECK(std::isnan(result.max_absolute_error) == nan);
      CHECK(std::isnan(result.max_relative_error) == nan);
      if (!nan) CHECK(std::isinf(result.max_absolute_error));
      if (!nan) CHECK(std::isinf(result.max_relative_error));
    }
  }
}

TEST_CASE("infinities and NaN that agree leave the errors of the finite elements") {
  const Comparison result = floats({kInf, kNaN, 1.5F}, {kInf, kNaN, 1});
  CHECK(result.max_absolute_error == 0.5);
  CHECK(result.mismatched == 1);
  CHECK(result.first_bad == 2U);
  CHECK(result.expected_text == "1");
  CHECK(result.got_text == "1.5");
  CHECK(floats({-kNaN}, {1}).got_text == "nan");  // whatever its sign
}

TEST_CASE("a NaN makes the errors NaN even where an infinity disagrees too") {
  CHECK(std::isnan(floats({kInf, kNaN, 1}, {1, 1, 1}).max_absolute_error));
  CHECK(floats({kInf, kNaN, 1}, {1, 1, 1}).mismatched == 2);
}

TEST_CASE("zeros match whatever their sign") {
  const Comparison result = floats({-0.0F, 0.0F}, {0.0F, -0.0F});
  CHECK(result.mismatched == 0);
  CHECK(result.unwritten == 0);
  CHECK(result.max_absolute_error == 0);
}

TEST_CASE("float64 is compared in double") {
  const Tolerance tight{1e-12, 1e-12, 1};
  CHECK(run<double>(DType::kFloat64, {1 + 1e-10}, {1}, tight).mismatched == 1);
  CHECK(run<double>(DType::kFloat64, {1 + 1e-13}, {1}, tight).mismatched == 0);
  CHECK(run<double>(DType::kFloat64, {1 + 1e-10}, {1}, tight).max_absolute_error ==
        Approx(1e-10).epsilon(1e-5));
}

TEST_CASE("small floats are compared by the values of their codes") {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat8E4M3FN, DType::kFloat8E5M2}) {
    INFO(fib::tensor::name_of(dtype));
    const float got[] = {1, -2, 4, 0.5F};
    const float expected[] = {1, -2, 3, 0.5F};
    std::array<std::byte, 8> x{};
    std::array<std::byte, 8> y{};
    fib::tensor::from_float(dtype, got, x.data(), 4);
    fib::tensor::from_float(dtype, expected, y.data(), 4);
    const auto poison = make_poison(dtype, kRandom);
    const Comparison result = compare(dtype, x.data(), y.data(), 4, {}, poison.data(), 1);
    CHECK(result.mismatched == 1);
    CHECK(result.unwritten == 0);
    CHECK(result.first_bad == 2U);
    CHECK(result.max_absolute_error == 1);
    CHECK(result.max_relative_error == Approx(1.0 / 3));
    CHECK(result.got_text == "4");
    CHECK(result.expected_text == "3");
  }
}

TEST_CASE("float4 elements are compared one by one") {
  const std::vector<std::uint8_t> got = {0x21, 0x43, 0x05};
  const std::vector<std::uint8_t> expected = {0x21, 0x53, 0x05};
  const auto poison = make_poison(DType::kFloat4E2M1, 9);
  const Comparison result = compare(DType::kFloat4E2M1, got.data(), expected.data(), 5, {}, poison.data(), 1);
  CHECK(result.count == 5);
  CHECK(result.mismatched == 1);
  CHECK(result.first_bad == 3U);
  CHECK(result.expected_text == "3");
  CHECK(result.got_text == "2");
}

TEST_CASE("integers must be equal, and their errors are distances") {
  const Comparison result = run<std::int32_t>(DType::kInt32, {1, -5, 7}, {1, 5, 7}, {100, 100, 1});
  CHECK(result.mismatched == 1);
  CHECK(result.max_absolute_error == 10);
  CHECK(result.max_relative_error == Approx(2));
  CHECK(result.expected_text == "5");
  CHECK(result.got_text == "-5");
  CHECK(run<std::int8_t>(DType::kInt8, {127}, {-128}).max_absolute_error == 255);
  CHECK(run<std::int16_t>(DType::kInt16, {3, 4}, {3, 4}).mismatched == 0);
  const Comparison wide = run<std::int64_t>(DType::kInt64, {INT64_MAX}, {INT64_MIN});
  CHECK(wide.max_absolute_error == Approx(18446744073709551615.0));
  CHECK(wide.got_text == "9223372036854775807");
  // Neighbours that are the same double still differ.
  const Comparison near = run<std::int64_t>(DType::kInt64, {9007199254740993}, {9007199254740992});
  CHECK(near.mismatched == 1);
  CHECK(near.max_absolute_error == 1);
}

TEST_CASE("bools must be equal as bytes") {
  const Comparison result = run<std::uint8_t>(DType::kBool, {1, 0, 1}, {1, 1, 1});
  CHECK(result.mismatched == 1);
  CHECK(result.expected_text == "true");
  CHECK(result.got_text == "false");
  CHECK(run<std::uint8_t>(DType::kBool, {7}, {1}).mismatched == 1);
  CHECK(run<std::uint8_t>(DType::kBool, {7}, {1}).got_text == "0x07, which is no bool");
}

TEST_CASE("a float or bool that still holds the poison is unwritten") {
  for (const DType dtype :
       {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kBool}) {
    INFO(fib::tensor::name_of(dtype));
    constexpr std::size_t kCount = 3000;
    const std::size_t size = fib::tensor::bytes_of(dtype, 1);
    std::vector<std::uint8_t> expected(kCount * size);
    fib::tensor::fill_random(dtype, 1, expected.data(), kCount, 1);
    std::vector<std::uint8_t> got = expected;
    const auto poison = make_poison(dtype, kRandom);
    for (const std::size_t i : {17U, 1024U, 2999U}) std::memcpy(got.data() + i * size, poison.data(), size);
    for (const unsigned threads : {1U, 3U}) {
      const Comparison result =
          compare(dtype, got.data(), expected.data(), kCount, {}, poison.data(), threads);
      CHECK(result.unwritten == 3);
      CHECK(result.mismatched == 3);
      CHECK(result.first_bad == 17U);
    }
  }
}

TEST_CASE("the element that is named was never written where any was not, and has no error") {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kInt8, DType::kFloat4E2M1}) {
    INFO(fib::tensor::name_of(dtype));
    constexpr std::size_t kBytes = 4096;
    const std::size_t size = fib::tensor::bytes_of(dtype, 1);
    const std::size_t per_byte = fib::tensor::bits_of(dtype) == 4 ? 2 : 1;
    std::vector<std::uint8_t> expected(kBytes, 0x22);
    std::vector<std::uint8_t> got = expected;
    const auto poison = make_poison(dtype, kRandom);
    fib::eval::fill_pattern(got.data() + 2048, 16, poison.data(), size);
    const std::size_t count = kBytes / size * per_byte;
    const std::size_t first = 2048 / size * per_byte;
    Comparison result = compare(dtype, got.data(), expected.data(), count, {}, poison.data(), 1);
    CHECK(result.first_bad == first);
    CHECK(result.max_absolute_error == 0);
    CHECK(result.max_relative_error == 0);
    std::memset(got.data(), 0x44, 8);  // wrong, and before it
    result = compare(dtype, got.data(), expected.data(), count, {}, poison.data(), 1);
    CHECK(result.first_bad == first);
    CHECK(result.mismatched > result.unwritten);
    CHECK(std::isfinite(result.max_absolute_error));
    CHECK(result.max_absolute_error > 0);
  }
}

TEST_CASE("an unwritten float is bad even where NaN is expected, unless those very bits are") {
  const auto poison = make_poison(DType::kFloat32, kRandom);
  std::vector<float> got(2, 1);
  std::memcpy(got.data(), poison.data(), sizeof(float));
  std::vector<float> expected = {kNaN, 1};
  CHECK(run(DType::kFloat32, got, expected).unwritten == 1);
  CHECK(run(DType::kFloat32, got, expected).mismatched == 1);
  std::memcpy(expected.data(), poison.data(), sizeof(float));
  CHECK(run(DType::kFloat32, got, expected).unwritten == 0);
  CHECK(run(DType::kFloat32, got, expected).mismatched == 0);
}

TEST_CASE("other dtypes are unwritten where eight bytes in a row hold the poison") {
  for (const DType dtype : {DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8,
                            DType::kFloat8E4M3FN, DType::kFloat8E5M2, DType::kFloat4E2M1}) {
    INFO(fib::tensor::name_of(dtype));
    constexpr std::size_t kBytes = 2048 + 8;
    const std::size_t bits = fib::tensor::bits_of(dtype);
    const std::size_t count = kBytes * 8 / bits;
    const std::size_t group = 64 / bits;
    const auto poison = make_poison(dtype, kRandom);
    std::vector<std::uint8_t> expected(kBytes, 0x11);
    std::vector<std::uint8_t> got = expected;
    const std::size_t size = fib::tensor::bytes_of(dtype, 1);
    fib::eval::fill_pattern(got.data() + 16, 16, poison.data(), size);  // two groups
    std::memcpy(got.data() + 800, poison.data(), size);                 // a coincidence, but for int64
    const Comparison result = compare(dtype, got.data(), expected.data(), count, {}, poison.data(), 1);
    const bool alone = size == 8;
    CHECK(result.unwritten == (alone ? 3 : 2 * group));
    CHECK(result.mismatched == result.unwritten + (alone ? 0U : bits == 4 ? 2U : 1U));
    CHECK(result.first_bad == 2 * group);
  }
}

TEST_CASE("an output that was never written is wholly unwritten, at any size") {
  for (const DType dtype : {DType::kFloat32, DType::kInt32, DType::kInt8, DType::kFloat8E4M3FN, DType::kBool,
                            DType::kInt64, DType::kFloat4E2M1}) {
    for (const std::size_t count : {1U, 2U, 3U, 7U, 8U, 9U, 17U, 1023U, 1025U, 70001U}) {
      INFO(fib::tensor::name_of(dtype) << ' ' << count);
      const std::size_t bytes = fib::tensor::bytes_of(dtype, count);
      const auto poison = make_poison(dtype, kRandom);
      std::vector<std::uint8_t> expected(bytes, 0x01);
      std::vector<std::uint8_t> got(bytes);
      fib::eval::fill_pattern(got.data(), bytes, poison.data(), fib::tensor::bytes_of(dtype, 1));
      const Comparison result = compare(dtype, got.data(), expected.data(), count, {}, poison.data(), 2);
      CHECK(result.unwritten == count);
      CHECK(result.mismatched == count);
      CHECK(result.matched_ratio() == 0);
    }
  }
}

TEST_CASE("the number of threads changes nothing") {
  constexpr std::size_t kCount = 400003;
  std::vector<float> expected(kCount);
  fib::tensor::fill_random(DType::kFloat32, 5, expected.data(), kCount, 1);
  std::vector<float> got = expected;
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) got[random() % kCount] += 1;
  const Comparison one = run(DType::kFloat32, got, expected, {}, 1);
  CHECK(one.mismatched > 400);
  for (const unsigned threads : {0U, 2U, 3U, 16U}) {
    const Comparison many = run(DType::kFloat32, got, expected, {}, threads);
    CHECK(many.mismatched == one.mismatched);
    CHECK(many.first_bad == one.first_bad);
    CHECK(many.max_absolute_error == one.max_absolute_error);
    CHECK(many.max_relative_error == one.max_relative_error);
    CHECK(many.expected_text == one.expected_text);
  }
}

// The rule, written plainly.
bool matches(float x, float y, const Tolerance& tolerance) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (std::isinf(x) || std::isinf(y)) return x == y;
  const float difference = std::fabs(x - y);
  return difference <= static_cast<float>(tolerance.atol) ||
         difference / (std::fabs(y) + 1e-8F) <= static_cast<float>(tolerance.rtol);
}

TEST_CASE("the fast loop gives what the plain rule gives") {
  std::mt19937 random(4);
  const float special[] = {kInf, -kInf, kNaN, 0.0F, -0.0F, 3e38F, -3e38F, 1e-40F};
  for (std::size_t count : {1U, 5U, 100U, 1023U, 1024U, 3001U}) {
    std::vector<float> got(count);
    std::vector<float> expected(count);
    fib::tensor::fill_random(DType::kFloat32, count, expected.data(), count, 1);
    std::size_t wrong = 0;
    const Tolerance tolerance{1e-3, 1e-2, 1};
    for (std::size_t i = 0; i < count; ++i) {
      got[i] = expected[i] * (1 + static_cast<float>(random() % 100) * 2e-4F);
      if (random() % 20 == 0) got[i] = special[random() % 8];
      if (random() % 20 == 0) expected[i] = special[random() % 8];
      wrong += matches(got[i], expected[i], tolerance) ? 0U : 1U;
    }
    CHECK(run(DType::kFloat32, got, expected, tolerance).mismatched == wrong);
  }
}

}  // namespace
