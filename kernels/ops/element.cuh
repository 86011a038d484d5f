#pragma once

#include "ops/gpu/arguments.h"
#include "tensor/small_floats.h"

// Elements of a dtype as one of the three types to compute in (float, double, i64) and back: the rules of
// lib/ops/convert_elements.h and lib/tensor/convert.cpp, with the same bits.
namespace fib::ops::gpu {

template <typename Real>
struct IsInteger {
  static constexpr bool value = false;
};
template <>
struct IsInteger<i64> {
  static constexpr bool value = true;
};

// Truncation towards zero; what does not fit saturates, NaN becomes 0. `end` is one above the largest value.
template <typename Int, typename Real>
__device__ inline Int saturated(Real value, Int lowest, Int highest, Real end) {
  const Real begin = static_cast<Real>(lowest);
  const bool inside = value >= begin && value < end;
  const Int cut = static_cast<Int>(inside ? value : Real{0});
  const Int capped = value >= end ? highest : cut;
  return value < begin ? lowest : capped;
}

template <typename Real>
__device__ inline i64 to_int64(Real value) {
  constexpr i64 kHighest = 0x7fffffffffffffffLL;
  return saturated<i64, Real>(value, -kHighest - 1, kHighest, Real(9223372036854775808.0));
}

// Floats become uint8 by way of int64, so that -1 becomes 255, as on torch's CPU; put() keeps the lower bits.
template <typename Real>
__device__ inline u64 wrapped(Real value) {
  const Real limit = Real(4611686018427387904.0);
  return value > -limit && value < limit ? static_cast<u64>(static_cast<i64>(value)) : 0;
}

// An element has 1 << shift bytes.
__device__ constexpr i32 shift_of(i32 type) {
  return type == kFloat64 || type == kInt64                        ? 3
         : type == kFloat32 || type == kInt32                      ? 2
         : type == kFloat16 || type == kBFloat16 || type == kInt16 ? 1
                                                                   : 0;
}

template <i32 kShift>
struct BitsOf;
template <>
struct BitsOf<0> {
  using Type = unsigned char;
};
template <>
struct BitsOf<1> {
  using Type = unsigned short;
};
template <>
struct BitsOf<2> {
  using Type = u32;
};
template <>
struct BitsOf<3> {
  using Type = u64;
};

// The element's bits, zero-extended.
template <i32 kType>
__device__ inline u64 fetch(u64 address) {
  return *reinterpret_cast<const typename BitsOf<shift_of(kType)>::Type*>(address);
}

template <i32 kType>
__device__ inline void put(u64 address, u64 bits) {
  using Bits = typename BitsOf<shift_of(kType)>::Type;
  *reinterpret_cast<Bits*>(address) = static_cast<Bits>(bits);
}

// float or double from an element's bits.
template <typename Real>
struct Decode {
  __device__ static Real element(i32 type, u64 bits) {
    const u32 word = static_cast<u32>(bits);
    switch (type) {
      case kFloat64:
        return static_cast<Real>(tensor::double_of_bits(bits));
      case kFloat32:
        return static_cast<Real>(tensor::float_of_bits(word));
      case kFloat16:
        return static_cast<Real>(tensor::Float16Bits::decode(word));
      case kBFloat16:
        return static_cast<Real>(tensor::BFloat16Bits::decode(word));
      case kFloat8E4M3FN:
        return static_cast<Real>(tensor::Float8E4M3FNBits::decode(word));
      case kFloat8E5M2:
        return static_cast<Real>(tensor::Float8E5M2Bits::decode(word));
      case kInt64:
        return static_cast<Real>(static_cast<i64>(bits));
      case kInt32:
        return static_cast<Real>(static_cast<i32>(word));
      case kInt16:
        return static_cast<Real>(static_cast<short>(word));
      case kInt8:
        return static_cast<Real>(static_cast<signed char>(word));
      case kUInt8:
        return static_cast<Real>(word);
      default:
        return word != 0 ? Real{1} : Real{0};
    }
  }
};

template <>
struct Decode<i64> {
  __device__ static i64 element(i32 type, u64 bits) {
    const u32 word = static_cast<u32>(bits);
    switch (type) {
      case kInt64:
        return static_cast<i64>(bits);
      case kInt32:
        return static_cast<i32>(word);
      case kInt16:
        return static_cast<short>(word);
      case kInt8:
        return static_cast<signed char>(word);
      case kUInt8:
        return word;
      case kBool:
        return word != 0 ? 1 : 0;
      default:
        return to_int64(Decode<double>::element(type, bits));
    }
  }
};

// A float that rounds to a small float as the value itself does.
__device__ inline float narrowed(float value) { return value; }
__device__ inline float narrowed(double value) { return tensor::round_to_odd(value); }
__device__ inline float narrowed(i64 value) { return static_cast<float>(value); }

template <typename Real>
__device__ inline u64 encode_small(i32 type, Real value) {
  const float single = narrowed(value);
  switch (type) {
    case kFloat16:
      return tensor::Float16Bits::encode(single);
    case kBFloat16:
      return tensor::BFloat16Bits::encode(single);
    case kFloat8E4M3FN:
      return tensor::Float8E4M3FNBits::encode(single);
    default:
      return tensor::Float8E5M2Bits::encode(single);
  }
}

template <typename Real>
struct Encode {
  __device__ static u64 element(i32 type, Real value) {
    switch (type) {
      case kFloat64:
        return tensor::bits_of_double(static_cast<double>(value));
      case kFloat32:
        return tensor::bits_of_float(static_cast<float>(value));
      case kInt64:
        return static_cast<u64>(to_int64(value));
      case kInt32:
        return static_cast<u64>(saturated<i32, Real>(value, -2147483647 - 1, 2147483647, Real(2147483648.0)));
      case kInt16:
        return static_cast<u64>(saturated<i32, Real>(value, -32768, 32767, Real{32768}));
      case kInt8:
        return static_cast<u64>(saturated<i32, Real>(value, -128, 127, Real{128}));
      case kUInt8:
        return wrapped(value);
      case kBool:
        return value != Real{0} ? 1 : 0;
      default:
        return encode_small(type, value);
    }
  }
};

template <>
struct Encode<i64> {
  __device__ static u64 element(i32 type, i64 value) {
    switch (type) {
      case kFloat64:
        return tensor::bits_of_double(static_cast<double>(value));
      case kFloat32:
        return tensor::bits_of_float(static_cast<float>(value));
      case kInt64:
      case kInt32:
      case kInt16:
      case kInt8:
      case kUInt8:
        return static_cast<u64>(value);  // put() keeps the lower bits: integers wrap around
      case kBool:
        return value != 0 ? 1 : 0;
      default:
        return encode_small(type, value);
    }
  }
};

template <i32 kType>
__device__ inline u64 address_of(const View& view, i64 offset) {
  return view.data + (static_cast<u64>(offset) << shift_of(kType));
}

template <i32 kType>
__device__ inline u64 bits_at(const View& view, i64 offset) {
  return view.data == 0 ? view.immediate : fetch<kType>(address_of<kType>(view, offset));
}

template <typename Real, i32 kType>
__device__ inline Real load(const View& view, i64 offset) {
  return Decode<Real>::element(kType, bits_at<kType>(view, offset));
}

template <typename Real, i32 kType>
__device__ inline void store(const View& view, i64 offset, Real value) {
  put<kType>(address_of<kType>(view, offset), Encode<Real>::element(kType, value));
}

}  // namespace fib::ops::gpu
