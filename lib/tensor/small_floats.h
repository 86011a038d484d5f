#pragma once

#include "tensor/portable.h"

// The bits of small floats, for host and device. Everything is branch-free, so that loops over it vectorise.
// All encoders round to nearest, ties to even. The public, typed interface is tensor/convert.h.
namespace fib::tensor {

// A float with a sign bit, `kExponentBits` and `kMantissaBits`, bias 2^(kExponentBits-1)-1 and subnormals;
// the all-ones exponent is an ordinary one here, and formats that reserve codes treat those themselves.
template <int kExponentBits, int kMantissaBits>
struct SmallFloat {
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kShift = 23 - kMantissaBits;  // between the last mantissa bits of float32 and of this
  static constexpr u32 kRebias = static_cast<u32>(127 - kBias) << 23;
  static constexpr u32 kSignBit = 1U << (kExponentBits + kMantissaBits);
  static constexpr u32 kMagnitude = kSignBit - 1;
  static constexpr u32 kMinNormal = kRebias + (1U << 23);  // the smallest normal number, as float32 bits

  // The code of |value|, given as float32 bits without the sign. A value that needs a larger exponent gives a
  // code above kMagnitude. Meaningless for infinities and NaN.
  FIB_HOST_DEVICE static u32 round_magnitude(u32 magnitude) {
    // Adding a number whose last mantissa bit weighs as much as the smallest subnormal rounds at the right
    // place.
    constexpr u32 kAligner = static_cast<u32>(1 - kBias - kMantissaBits + 23 + 127) << 23;
    const u32 subnormal = bits_of_float(add(float_of_bits(magnitude), float_of_bits(kAligner))) - kAligner;
    const u32 odd = (magnitude >> kShift) & 1U;
    const u32 normal = (magnitude - kRebias + ((1U << (kShift - 1)) - 1U) + odd) >> kShift;
    return static_cast<i32>(magnitude) < static_cast<i32>(kMinNormal) ? subnormal : normal;
  }

  // The sign of a float32 at this format's sign bit.
  FIB_HOST_DEVICE static u32 sign_of(u32 float_bits) {
    return (float_bits >> (31 - kExponentBits - kMantissaBits)) & kSignBit;
  }

  // The float32 bits of a code's magnitude.
  FIB_HOST_DEVICE static u32 widen_magnitude(u32 code) {
    const u32 normal = ((code & kMagnitude) << kShift) + kRebias;
    // A subnormal has no leading one: give it the smallest normal's, and subtract that.
    const u32 subnormal =
        bits_of_float(subtract(float_of_bits(normal + (1U << 23)), float_of_bits(kMinNormal)));
    return (code & kMagnitude) < (1U << kMantissaBits) ? subnormal : normal;
  }

  FIB_HOST_DEVICE static u32 widen_sign(u32 code) {
    return (code & kSignBit) << (31 - kExponentBits - kMantissaBits);
  }
};

// For the formats in which the all-ones exponent means infinity or NaN, as in IEEE 754.
template <int kExponentBits, int kMantissaBits>
struct IeeeFloat : SmallFloat<kExponentBits, kMantissaBits> {
  using Base = SmallFloat<kExponentBits, kMantissaBits>;
  static constexpr u32 kInfinity = Base::kMagnitude & ~((1U << kMantissaBits) - 1U);

  // Overflow gives infinity. NaN stays NaN: sign and upper payload bits are kept, the quiet bit is set.
  FIB_HOST_DEVICE static u32 encode(float value) {
    const u32 bits = bits_of_float(value);
    const u32 magnitude = bits & 0x7fffffffU;
    const u32 finite = Base::round_magnitude(magnitude);
    const u32 quiet = 1U << (kMantissaBits - 1);
    const u32 nan = kInfinity | quiet | ((magnitude >> Base::kShift) & (quiet - 1U));
    constexpr i32 kOverflow = static_cast<i32>(Base::kRebias + (kInfinity << Base::kShift));
    u32 code = static_cast<i32>(magnitude) >= kOverflow ? kInfinity : finite;
    code = static_cast<i32>(magnitude) > 0x7f800000 ? nan : code;
    return code | Base::sign_of(bits);
  }

  FIB_HOST_DEVICE static float decode(u32 code) {
    const u32 widened = Base::widen_magnitude(code);
    const u32 special = (code & kInfinity) == kInfinity ? Base::kRebias : 0U;
    return float_of_bits((widened + special) | Base::widen_sign(code));
  }
};

using Float16Bits = IeeeFloat<5, 10>;
using Float8E5M2Bits = IeeeFloat<5, 2>;

// The upper half of a float32. No float operation, so subnormals never meet a flushing unit.
struct BFloat16Bits {
  FIB_HOST_DEVICE static u32 encode(float value) {
    const u32 bits = bits_of_float(value);
    const u32 rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
    const u32 nan = (bits >> 16) | 0x40U;
    return static_cast<i32>(bits & 0x7fffffffU) > 0x7f800000 ? nan : rounded;
  }
  FIB_HOST_DEVICE static float decode(u32 code) { return float_of_bits(code << 16); }
};

// No infinities; 0x7f and 0xff are NaN; what rounds beyond 448 is NaN.
struct Float8E4M3FNBits {
  using Base = SmallFloat<4, 3>;
  FIB_HOST_DEVICE static u32 encode(float value) {
    const u32 bits = bits_of_float(value);
    const u32 magnitude = bits & 0x7fffffffU;
    const u32 finite = Base::round_magnitude(magnitude);
    constexpr i32 k480 = 0x43f00000;  // the value the NaN code would have
    return (static_cast<i32>(magnitude) >= k480 ? 0x7fU : finite) | Base::sign_of(bits);
  }
  FIB_HOST_DEVICE static float decode(u32 code) {
    const u32 widened = (code & 0x7fU) == 0x7fU ? 0x7fc00000U : Base::widen_magnitude(code);
    return float_of_bits(widened | Base::widen_sign(code));
  }
};

// 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives in the low nibble. Saturates at 6; NaN becomes +6.
struct Float4E2M1Bits {
  using Base = SmallFloat<2, 1>;
  FIB_HOST_DEVICE static u32 encode(float value) {
    const u32 bits = bits_of_float(value);
    const u32 magnitude = bits & 0x7fffffffU;
    constexpr i32 k6 = 0x40c00000;
    const u32 code = static_cast<i32>(magnitude) >= k6 ? 7U : Base::round_magnitude(magnitude);
    return static_cast<i32>(magnitude) > 0x7f800000 ? 7U : code | Base::sign_of(bits);
  }
  FIB_HOST_DEVICE static float decode(u32 code) {
    return float_of_bits(Base::widen_magnitude(code) | Base::widen_sign(code));
  }
};

// A double as the float32 that makes a second rounding harmless: cut off towards zero, and the last bit set
// if anything was lost ("round to odd"). NaN stays NaN.
FIB_HOST_DEVICE float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = static_cast<double>(nearest);
  const u32 bits = bits_of_float(nearest);
  const double magnitude = double_of_bits(bits_of_double(value) & 0x7fffffffffffffffULL);
  const double back_magnitude = double_of_bits(bits_of_double(back) & 0x7fffffffffffffffULL);
  const u32 truncated = back_magnitude > magnitude ? bits - 1U : bits;
  const u32 odd = (back_magnitude < magnitude || back_magnitude > magnitude) ? truncated | 1U : bits;
  return float_of_bits(odd);
}

}  // namespace fib::tensor
