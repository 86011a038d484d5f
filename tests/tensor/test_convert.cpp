#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tensor/convert.h"

namespace {

using fib::tensor::DType;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// A slow, independent description of a small float: values from the definition, rounding by search.
struct Format {
  DType dtype;
  int exponent_bits, mantissa_bits;
  unsigned finite_codes;  // magnitudes below this are finite
  float overflow;         // what rounds beyond the last finite value becomes (magnitude)

  [[nodiscard]] double value(unsigned magnitude) const {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const unsigned mantissa = magnitude & ((1U << mantissa_bits) - 1);
    const int exponent = static_cast<int>(magnitude >> mantissa_bits);
    const double fraction = std::ldexp(mantissa, -mantissa_bits);
    return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  }
  [[nodiscard]] unsigned sign_bit() const { return 1U << (exponent_bits + mantissa_bits); }

  // Magnitudes of all finite codes, and the one that would come next.
  [[nodiscard]] std::vector<double> magnitudes() const {
    std::vector<double> all;
    for (unsigned code = 0; code <= finite_codes; ++code) all.push_back(value(code));
    return all;
  }
};

const Format kFormats[] = {
    {DType::kFloat16, 5, 10, 0x7c00, kInf},   {DType::kBFloat16, 8, 7, 0x7f80, kInf},
    {DType::kFloat8E4M3FN, 4, 3, 0x7f, kNaN}, {DType::kFloat8E5M2, 5, 2, 0x7c, kInf},
    {DType::kFloat4E2M1, 2, 1, 8, 6.0F},
};

// The magnitude's code: the nearest of all, ties to the even code; finite_codes when it overflows.
unsigned nearest(const std::vector<double>& magnitudes, double value) {
  const auto above = std::lower_bound(magnitudes.begin(), magnitudes.end(), value);
  if (above == magnitudes.end()) return static_cast<unsigned>(magnitudes.size() - 1);
  const auto high = static_cast<unsigned>(above - magnitudes.begin());
  if (*above == value || high == 0) return high;
  const double up = *above - value;
  const double down = value - *(above - 1);
  if (up == down) return high % 2 == 0 ? high : high - 1;
  return up < down ? high : high - 1;
}

// One element through the bulk functions, as a code.
template <typename Real>
unsigned encode(DType dtype, Real value) {
  std::uint8_t small = 0;
  std::uint16_t wide = 0;
  void* target = fib::tensor::bits_of(dtype) == 16 ? static_cast<void*>(&wide) : &small;
  if constexpr (std::is_same_v<Real, float>) {
    fib::tensor::from_float(dtype, &value, target, 1);
  } else {
    fib::tensor::from_double(dtype, &value, target, 1);
  }
  return wide | small;
}

float decode(DType dtype, unsigned code) {
  switch (dtype) {
    case DType::kFloat16:
      return fib::tensor::float16_to_float(static_cast<std::uint16_t>(code));
    case DType::kBFloat16:
      return fib::tensor::bfloat16_to_float(static_cast<std::uint16_t>(code));
    case DType::kFloat8E4M3FN:
      return fib::tensor::float8_e4m3fn_to_float(static_cast<std::uint8_t>(code));
    case DType::kFloat8E5M2:
      return fib::tensor::float8_e5m2_to_float(static_cast<std::uint8_t>(code));
    default:
      return fib::tensor::float4_e2m1_to_float(static_cast<std::uint8_t>(code));
  }
}

// Whether `value` and its negative are encoded as the oracle says; `Real` chooses the function.
template <typename Real>
bool encodes_right(const Format& format, const std::vector<double>& magnitudes, Real value) {
  unsigned expected = nearest(magnitudes, static_cast<double>(value));
  const bool overflows = expected == format.finite_codes;
  const bool saturates = format.overflow == 6.0F;
  if (overflows && saturates) expected = 7;
  const unsigned minus = encode(format.dtype, -value);
  return encode(format.dtype, value) == expected && minus == (expected | format.sign_bit());
}

template <typename Real>
int count_wrong(const Format& format) {
  const std::vector<double> magnitudes = format.magnitudes();
  int wrong = 0;
  const auto check = [&](double exact) {
    const Real value = static_cast<Real>(exact);
    const Real end = std::numeric_limits<Real>::infinity();
    for (const Real candidate : {value, std::nextafter(value, Real{0}), std::nextafter(value, end)}) {
      if (std::isfinite(candidate)) wrong += encodes_right(format, magnitudes, candidate) ? 0 : 1;
    }
  };
  for (std::size_t i = 0; i + 1 < magnitudes.size(); ++i) {
    check(magnitudes[i]);
    check((magnitudes[i] + magnitudes[i + 1]) / 2);  // exact: one bit more than the format has
  }
  check(magnitudes.back());
  check(std::numeric_limits<Real>::max());
  check(std::numeric_limits<Real>::denorm_min());
  check(std::numeric_limits<Real>::min());
  return wrong;
}

TEST_CASE("every code of the small floats has the value of its definition, both signs") {
  for (const Format& format : kFormats) {
    INFO(fib::tensor::name_of(format.dtype));
    int wrong = 0;
    for (unsigned code = 0; code < format.finite_codes; ++code) {
      const float plus = decode(format.dtype, code);
      const float minus = decode(format.dtype, code | format.sign_bit());
      if (static_cast<double>(plus) != format.value(code) || minus != -plus) ++wrong;
      if (std::signbit(plus) || !std::signbit(minus)) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the codes beyond the finite ones are infinity and NaN") {
  for (const Format& format : kFormats) {
    INFO(fib::tensor::name_of(format.dtype));
    int wrong = 0;
    for (unsigned code = format.finite_codes; code < format.sign_bit(); ++code) {
      const bool infinite = code == format.finite_codes && format.overflow == kInf;
      const float plus = decode(format.dtype, code);
      const float minus = decode(format.dtype, code | format.sign_bit());
      if (infinite ? (plus != kInf || minus != -kInf) : !(std::isnan(plus) && std::isnan(minus))) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("every finite or infinite code survives decoding and encoding, and NaN stays NaN") {
  for (const Format& format : kFormats) {
    INFO(fib::tensor::name_of(format.dtype));
    int wrong = 0;
    for (unsigned code = 0; code < 2 * format.sign_bit(); ++code) {
      const float value = decode(format.dtype, code);
      const unsigned again = encode(format.dtype, value);
      const bool same = std::isnan(value) ? std::isnan(decode(format.dtype, again)) : again == code;
      if (!same || encode(format.dtype, static_cast<double>(value)) != again) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("float32 rounds to the nearest code, ties to even, at every code, midpoint and neighbour") {
  for (const Format& format : kFormats) {
    INFO(fib::tensor::name_of(format.dtype));
    CHECK(count_wrong<float>(format) == 0);
  }
}

TEST_CASE("float64 rounds once to the nearest code, ties to even") {
  for (const Format& format : kFormats) {
    INFO(fib::tensor::name_of(format.dtype));
    CHECK(count_wrong<double>(format) == 0);
  }
}

TEST_CASE("float32 of any bits rounds to the nearest code") {
  std::mt19937 random(1);
  for (const Format& format : kFormats) {
    INFO(fib::tensor::name_of(format.dtype));
    const std::vector<double> magnitudes = format.magnitudes();
    int wrong = 0;
    for (int i = 0; i < 300000; ++i) {
      const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()) & 0x7fffffffU);
      if (std::isfinite(value)) wrong += encodes_right(format, magnitudes, value) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("infinities and NaN become what each format has for them") {
  CHECK(fib::tensor::float_to_float16(kInf) == 0x7c00);
  CHECK(fib::tensor::float_to_float16(-kInf) == 0xfc00);
  CHECK(fib::tensor::float_to_float16(kNaN) == 0x7e00);
  CHECK(fib::tensor::float_to_float16(std::bit_cast<float>(0x7f800001U)) == 0x7e00);
  CHECK(fib::tensor::float_to_bfloat16(kInf) == 0x7f80);
  CHECK(fib::tensor::float_to_bfloat16(std::bit_cast<float>(0xffffffffU)) == 0xffff);
  CHECK(fib::tensor::float_to_bfloat16(std::bit_cast<float>(0x7f800001U)) == 0x7fc0);
  CHECK(fib::tensor::float_to_float8_e4m3fn(kInf) == 0x7f);
  CHECK(fib::tensor::float_to_float8_e4m3fn(-kInf) == 0xff);
  CHECK(fib::tensor::float_to_float8_e4m3fn(kNaN) == 0x7f);
  CHECK(fib::tensor::float_to_float8_e5m2(kInf) == 0x7c);
  CHECK(std::isnan(fib::tensor::float8_e5m2_to_float(fib::tensor::float_to_float8_e5m2(kNaN))));
  CHECK(fib::tensor::float_to_float4_e2m1(kInf) == 7);
  CHECK(fib::tensor::float_to_float4_e2m1(-kInf) == 15);
  CHECK(fib::tensor::float_to_float4_e2m1(kNaN) == 7);
  CHECK(fib::tensor::float_to_float4_e2m1(-kNaN) == 7);
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat8E4M3FN, DType::kFloat8E5M2}) {
    CHECK(std::isnan(decode(dtype, encode(dtype, std::numeric_limits<double>::quiet_NaN()))));
    CHECK(encode(dtype, static_cast<double>(kInf)) == encode(dtype, kInf));
    CHECK(encode(dtype, 1e300) == encode(dtype, kInf));
  }
}

TEST_CASE(
    "float4 elements are packed two to a byte, low nibble first, and an odd count ends in a zero nibble") {
  const float values[] = {0.5F, -6.0F, 3.0F};
  std::uint8_t packed[2] = {0xff, 0xff};
  fib::tensor::from_float(DType::kFloat4E2M1, values, packed, 3);
  CHECK(packed[0] == 0xf1);
  CHECK(packed[1] == 0x05);
  float back[3] = {};
  fib::tensor::to_float(DType::kFloat4E2M1, packed, back, 3);
  CHECK(std::equal(back, back + 3, values));
}

// Runs `values` through the bulk functions at every count up to 40, so that vector bodies and remainders both
// run.
template <typename Int>
void check_integers(DType dtype, const std::vector<double>& values, const std::vector<Int>& expected) {
  for (std::size_t count = 0; count <= 40; ++count) {
    std::vector<double> doubles(count);
    std::vector<float> floats(count);
    std::vector<Int> from_doubles(count + 1, Int{77});
    std::vector<Int> from_floats(count + 1, Int{77});
    for (std::size_t i = 0; i < count; ++i) doubles[i] = values[i % values.size()];
    for (std::size_t i = 0; i < count; ++i) floats[i] = static_cast<float>(doubles[i]);
    fib::tensor::from_double(dtype, doubles.data(), from_doubles.data(), count);
    fib::tensor::from_float(dtype, floats.data(), from_floats.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(from_doubles[i] == expected[i % values.size()]);
      REQUIRE(from_floats[i] == expected[i % values.size()]);
    }
    REQUIRE(from_doubles[count] == Int{77});
    REQUIRE(from_floats[count] == Int{77});
  }
}

TEST_CASE("floats become integers by truncation, saturation, and zero for NaN") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double huge = std::numeric_limits<double>::infinity();
  check_integers<std::int8_t>(DType::kInt8, {1.9, -1.9, 127.5, 128, -128.5, -129, nan, huge, -huge, -0.0},
                              {1, -1, 127, 127, -128, -128, 0, 127, -128, 0});
  check_integers<std::uint8_t>(DType::kUInt8, {1.9, -0.9, 255.5, 256, -1, nan, huge, -huge},
                               {1, 0, 255, 255, 0, 0, 255, 0});
  check_integers<std::int16_t>(DType::kInt16, {-2.5, 32767.5, 32768, -32768.5, -40000, nan},
                               {-2, 32767, 32767, -32768, -32768, 0});
  check_integers<std::int32_t>(DType::kInt32,
                               {-7.75, 2147483648.0, -2147483648.0, 1e20, -1e20, nan, 16777216.0},
                               {-7, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 0, 16777216});
  check_integers<std::int64_t>(DType::kInt64,
                               {-7.75, 9223372036854775808.0, -9223372036854775808.0, 1e30, nan},
                               {-7, INT64_MAX, INT64_MIN, INT64_MAX, 0});
  check_integers<std::uint8_t>(DType::kBool, {0.0, -0.0, 0.25, -3, nan}, {0, 0, 1, 1, 1});
}

TEST_CASE("integers become floats by value, rounded once") {
  const std::int64_t wide[] = {16777217, INT64_MIN, INT64_MAX, -5, 9007199254740993};
  float floats[5] = {};
  double doubles[5] = {};
  fib::tensor::to_float(DType::kInt64, wide, floats, 5);
  fib::tensor::to_double(DType::kInt64, wide, doubles, 5);
  CHECK(floats[0] == 16777216.0F);
  CHECK(floats[1] == -9223372036854775808.0F);
  CHECK(floats[3] == -5.0F);
  CHECK(doubles[0] == 16777217.0);
  CHECK(doubles[4] == 9007199254740992.0);
  const std::int8_t bytes[] = {-128, 127, 0};
  fib::tensor::to_float(DType::kInt8, bytes, floats, 3);
  CHECK(floats[0] == -128.0F);
  CHECK(floats[1] == 127.0F);
  const std::uint8_t unsigned_bytes[] = {255, 0, 2};
  fib::tensor::to_float(DType::kUInt8, unsigned_bytes, floats, 3);
  CHECK(floats[0] == 255.0F);
  fib::tensor::to_float(DType::kBool, unsigned_bytes, floats, 3);
  CHECK(floats[0] == 1.0F);
  CHECK(floats[1] == 0.0F);
  CHECK(floats[2] == 1.0F);
}

TEST_CASE("float64 becomes float32 by one rounding, and float32 passes unchanged") {
  const double value = 1.0 + std::ldexp(1.0, -24);  // a tie between 1 and the next float32
  float single = 0;
  fib::tensor::from_double(DType::kFloat32, &value, &single, 1);
  CHECK(single == 1.0F);
  fib::tensor::to_float(DType::kFloat64, &value, &single, 1);
  CHECK(single == 1.0F);
  const std::uint32_t bits[] = {0x00000001U, 0x80000000U, 0x7fc12345U};
  std::uint32_t copy[3] = {};
  fib::tensor::to_float(DType::kFloat32, bits, reinterpret_cast<float*>(copy), 3);
  CHECK(std::equal(bits, bits + 3, copy));
}

TEST_CASE("bulk conversion gives the scalar functions' bits at every code and leaves the rest alone") {
  std::vector<std::uint16_t> codes(65536 + 3);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
  std::vector<float> values(codes.size() + 1, 7.0F);
  std::vector<std::uint16_t> back(codes.size());
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    fib::tensor::to_float(dtype, codes.data(), values.data(), codes.size());
    fib::tensor::from_float(dtype, values.data(), back.data(), codes.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const float scalar = decode(dtype, codes[i]);
      wrong += std::bit_cast<std::uint32_t>(scalar) == std::bit_cast<std::uint32_t>(values[i]) ? 0U : 1U;
      wrong += encode(dtype, values[i]) == back[i] ? 0U : 1U;
    }
    CHECK(wrong == 0);
    CHECK(values.back() == 7.0F);
  }
}

}  // namespace
