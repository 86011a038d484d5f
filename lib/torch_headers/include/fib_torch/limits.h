#pragma once

#include "fib_torch/small_floats.h"

// std::numeric_limits of the small floats: the members that torch gives them, and no others.
namespace c10::detail {

struct SmallFloatLimits {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr int radix = 2;
  static constexpr auto round_style = std::numeric_limits<float>::round_style;
  static constexpr auto traps = std::numeric_limits<float>::traps;
};

}  // namespace c10::detail

namespace std {

#define FIB_TORCH_LIMIT(T, name, bits) \
  static constexpr C10_HOST_DEVICE T name() { return T(bits, T::from_bits()); }

template <>
class numeric_limits<c10::Half> : public c10::detail::SmallFloatLimits {
 public:
  static constexpr bool has_infinity = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr bool is_iec559 = true;
  static constexpr auto has_denorm = numeric_limits<float>::has_denorm;
  static constexpr auto has_denorm_loss = numeric_limits<float>::has_denorm_loss;
  static constexpr auto tinyness_before = numeric_limits<float>::tinyness_before;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  FIB_TORCH_LIMIT(c10::Half, min, 0x0400)
  FIB_TORCH_LIMIT(c10::Half, lowest, 0xfbff)
  FIB_TORCH_LIMIT(c10::Half, max, 0x7bff)
  FIB_TORCH_LIMIT(c10::Half, epsilon, 0x1400)
  FIB_TORCH_LIMIT(c10::Half, round_error, 0x3800)
  FIB_TORCH_LIMIT(c10::Half, infinity, 0x7c00)
  FIB_TORCH_LIMIT(c10::Half, quiet_NaN, 0x7e00)
  FIB_TORCH_LIMIT(c10::Half, signaling_NaN, 0x7d00)
  FIB_TORCH_LIMIT(c10::Half, denorm_min, 0x0001)
};

template <>
class numeric_limits<c10::BFloat16> : public c10::detail::SmallFloatLimits {
 public:
  static constexpr bool has_infinity = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr bool is_iec559 = false;
  static constexpr auto has_denorm = numeric_limits<float>::has_denorm;
  static constexpr auto has_denorm_loss = numeric_limits<float>::has_denorm_loss;
  static constexpr auto tinyness_before = numeric_limits<float>::tinyness_before;
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr int min_exponent = -125;
  static constexpr int min_exponent10 = -37;
  static constexpr int max_exponent = 128;
  static constexpr int max_exponent10 = 38;
  FIB_TORCH_LIMIT(c10::BFloat16, min, 0x0080)
  FIB_TORCH_LIMIT(c10::BFloat16, lowest, 0xff7f)
  FIB_TORCH_LIMIT(c10::BFloat16, max, 0x7f7f)
  FIB_TORCH_LIMIT(c10::BFloat16, epsilon, 0x3c00)
  FIB_TORCH_LIMIT(c10::BFloat16, round_error, 0x3f00)
  FIB_TORCH_LIMIT(c10::BFloat16, infinity, 0x7f80)
  FIB_TORCH_LIMIT(c10::BFloat16, quiet_NaN, 0x7fc0)
  FIB_TORCH_LIMIT(c10::BFloat16, signaling_NaN, 0x7f80)
  FIB_TORCH_LIMIT(c10::BFloat16, denorm_min, 0x0001)
};

template <>
class numeric_limits<c10::Float8_e5m2> : public c10::detail::SmallFloatLimits {
 public:
  static constexpr bool has_infinity = true;
  static constexpr bool has_signaling_NaN = false;
  static constexpr bool is_iec559 = false;
  static constexpr auto has_denorm = true;
  static constexpr auto has_denorm_loss = true;
  static constexpr auto tinyness_before = numeric_limits<float>::tinyness_before;
  static constexpr int digits = 3;
  static constexpr int digits10 = 0;
  static constexpr int max_digits10 = 2;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  FIB_TORCH_LIMIT(c10::Float8_e5m2, min, 0x04)
  FIB_TORCH_LIMIT(c10::Float8_e5m2, lowest, 0xfb)
  FIB_TORCH_LIMIT(c10::Float8_e5m2, max, 0x7b)
  FIB_TORCH_LIMIT(c10::Float8_e5m2, epsilon, 0x34)
  FIB_TORCH_LIMIT(c10::Float8_e5m2, round_error, 0x38)
  FIB_TORCH_LIMIT(c10::Float8_e5m2, infinity, 0x7c)
  FIB_TORCH_LIMIT(c10::Float8_e5m2, quiet_NaN, 0x7f)
  FIB_TORCH_LIMIT(c10::Float8_e5m2, denorm_min, 0x01)
};

template <>
class numeric_limits<c10::Float8_e4m3fn> : public c10::detail::SmallFloatLimits {
 public:
  static constexpr bool has_infinity = false;
  static constexpr bool has_signaling_NaN = false;
  static constexpr bool is_iec559 = false;
  static constexpr auto has_denorm = true;
  static constexpr auto has_denorm_loss = true;
  static constexpr auto tinyness_before = false;
  static constexpr int digits = 4;
  static constexpr int digits10 = 0;
  static constexpr int max_digits10 = 3;
  static constexpr int min_exponent = -5;
  static constexpr int min_exponent10 = -1;
  static constexpr int max_exponent = 8;
  static constexpr int max_exponent10 = 2;
  FIB_TORCH_LIMIT(c10::Float8_e4m3fn, min, 0x08)
  FIB_TORCH_LIMIT(c10::Float8_e4m3fn, lowest, 0xfe)
  FIB_TORCH_LIMIT(c10::Float8_e4m3fn, max, 0x7e)
  FIB_TORCH_LIMIT(c10::Float8_e4m3fn, epsilon, 0x20)
  FIB_TORCH_LIMIT(c10::Float8_e4m3fn, round_error, 0x30)
  FIB_TORCH_LIMIT(c10::Float8_e4m3fn, quiet_NaN, 0x7f)
  FIB_TORCH_LIMIT(c10::Float8_e4m3fn, denorm_min, 0x01)
};

#undef FIB_TORCH_LIMIT

}  // namespace std
