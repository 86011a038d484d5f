#include "tensor/convert.h"

#include <limits>

#include "tensor/small_floats.h"
#include "tensor/vector_clones.h"

namespace fib::tensor {

float float16_to_float(std::uint16_t bits) { return Float16Bits::decode(bits); }
std::uint16_t float_to_float16(float value) { return static_cast<std::uint16_t>(Float16Bits::encode(value)); }
float bfloat16_to_float(std::uint16_t bits) { return BFloat16Bits::decode(bits); }
std::uint16_t float_to_bfloat16(float value) {
  return static_cast<std::uint16_t>(BFloat16Bits::encode(value));
}
float float8_e4m3fn_to_float(std::uint8_t bits) { return Float8E4M3FNBits::decode(bits); }
std::uint8_t float_to_float8_e4m3fn(float value) {
  return static_cast<std::uint8_t>(Float8E4M3FNBits::encode(value));
}
float float8_e5m2_to_float(std::uint8_t bits) { return Float8E5M2Bits::decode(bits); }
std::uint8_t float_to_float8_e5m2(float value) {
  return static_cast<std::uint8_t>(Float8E5M2Bits::encode(value));
}
float float4_e2m1_to_float(std::uint8_t nibble) { return Float4E2M1Bits::decode(nibble); }
std::uint8_t float_to_float4_e2m1(float value) {
  return static_cast<std::uint8_t>(Float4E2M1Bits::encode(value));
}

namespace {

// How one element of a dtype is read as Real (float or double) and written from it.

template <typename Codec, typename Bits>
struct SmallElement {
  using Stored = Bits;
  template <typename Real>
  static Real load(Bits bits) {
    return static_cast<Real>(Codec::decode(bits));
  }
  static Bits store(float value) { return static_cast<Bits>(Codec::encode(value)); }
  static Bits store(double value) { return store(round_to_odd(value)); }
};

template <typename Float>
struct FloatElement {
  using Stored = Float;
  template <typename Real>
  static Real load(Float value) {
    return static_cast<Real>(value);
  }
  template <typename Real>
  static Float store(Real value) {
    return static_cast<Float>(value);
  }
};

template <typename Int>
struct IntElement {
  using Stored = Int;
  template <typename Real>
  static Real load(Int value) {
    return static_cast<Real>(value);
  }
  template <typename Real>
  static Int store(Real value) {
    using Limits = std::numeric_limits<Int>;
    // One above the largest value is a power of two, so it is exact in any float type; so is the lowest
    // value.
    constexpr Int kHalfOfEnd = Limits::max() / 2 + 1;
    constexpr Real kEnd = static_cast<Real>(kHalfOfEnd) * Real{2};
    constexpr Real kBegin = static_cast<Real>(Limits::min());
    const bool inside = value >= kBegin && value < kEnd;
    const Int cut = static_cast<Int>(inside ? value : Real{0});
    const Int capped = value >= kEnd ? Limits::max() : cut;
    return value < kBegin ? Limits::min() : capped;
  }
};

struct BoolElement {
  using Stored = std::uint8_t;
  template <typename Real>
  static Real load(std::uint8_t value) {
    return value != 0 ? Real{1} : Real{0};
  }
  template <typename Real>
  static std::uint8_t store(Real value) {
    return value != Real{0} ? 1 : 0;
  }
};

template <typename Element, typename Real>
[[gnu::always_inline]] inline void load_all(const void* source, Real* __restrict target, std::size_t count) {
  const auto* __restrict from = static_cast<const typename Element::Stored*>(source);
  for (std::size_t i = 0; i < count; ++i) target[i] = Element::template load<Real>(from[i]);
}

template <typename Element, typename Real>
[[gnu::always_inline]] inline void store_all(const Real* __restrict source, void* target, std::size_t count) {
  auto* __restrict to = static_cast<typename Element::Stored*>(target);
  for (std::size_t i = 0; i < count; ++i) to[i] = Element::store(source[i]);
}

using Float4Element = SmallElement<Float4E2M1Bits, std::uint8_t>;

// Two elements to a byte, low nibble first.
template <typename Real>
[[gnu::always_inline]] inline void load_nibbles(const void* source, Real* __restrict target,
                                                std::size_t count) {
  const auto* __restrict from = static_cast<const std::uint8_t*>(source);
  for (std::size_t i = 0; i < count / 2; ++i) {
    target[2 * i] = Float4Element::load<Real>(from[i] & 15U);
    target[2 * i + 1] = Float4Element::load<Real>(static_cast<std::uint8_t>(from[i] >> 4));
  }
  if (count % 2 != 0) target[count - 1] = Float4Element::load<Real>(from[count / 2] & 15U);
}

// The unused half of the last byte of an odd count becomes zero.
template <typename Real>
[[gnu::always_inline]] inline void store_nibbles(const Real* __restrict source, void* target,
                                                 std::size_t count) {
  auto* __restrict to = static_cast<std::uint8_t*>(target);
  for (std::size_t i = 0; i < count / 2; ++i) {
    const unsigned low = Float4Element::store(source[2 * i]);
    const unsigned high = Float4Element::store(source[2 * i + 1]);
    to[i] = static_cast<std::uint8_t>(low | high << 4);
  }
  if (count % 2 != 0) to[count / 2] = Float4Element::store(source[count - 1]);
}

template <typename Real>
[[gnu::always_inline]] inline void load_any(DType dtype, const void* source, Real* target,
                                            std::size_t count) {
  switch (dtype) {
    case DType::kFloat64:
      return load_all<FloatElement<double>>(source, target, count);
    case DType::kFloat32:
      return load_all<FloatElement<float>>(source, target, count);
    case DType::kFloat16:
      return load_all<SmallElement<Float16Bits, std::uint16_t>>(source, target, count);
    case DType::kBFloat16:
      return load_all<SmallElement<BFloat16Bits, std::uint16_t>>(source, target, count);
    case DType::kFloat8E4M3FN:
      return load_all<SmallElement<Float8E4M3FNBits, std::uint8_t>>(source, target, count);
    case DType::kFloat8E5M2:
      return load_all<SmallElement<Float8E5M2Bits, std::uint8_t>>(source, target, count);
    case DType::kFloat4E2M1:
      return load_nibbles(source, target, count);
    case DType::kInt64:
      return load_all<IntElement<std::int64_t>>(source, target, count);
    case DType::kInt32:
      return load_all<IntElement<std::int32_t>>(source, target, count);
    case DType::kInt16:
      return load_all<IntElement<std::int16_t>>(source, target, count);
    case DType::kInt8:
      return load_all<IntElement<std::int8_t>>(source, target, count);
    case DType::kUInt8:
      return load_all<IntElement<std::uint8_t>>(source, target, count);
    case DType::kBool:
      return load_all<BoolElement>(source, target, count);
  }
}

template <typename Real>
[[gnu::always_inline]] inline void store_any(DType dtype, const Real* source, void* target,
                                             std::size_t count) {
  switch (dtype) {
    case DType::kFloat64:
      return store_all<FloatElement<double>>(source, target, count);
    case DType::kFloat32:
      return store_all<FloatElement<float>>(source, target, count);
    case DType::kFloat16:
      return store_all<SmallElement<Float16Bits, std::uint16_t>>(source, target, count);
    case DType::kBFloat16:
      return store_all<SmallElement<BFloat16Bits, std::uint16_t>>(source, target, count);
    case DType::kFloat8E4M3FN:
      return store_all<SmallElement<Float8E4M3FNBits, std::uint8_t>>(source, target, count);
    case DType::kFloat8E5M2:
      return store_all<SmallElement<Float8E5M2Bits, std::uint8_t>>(source, target, count);
    case DType::kFloat4E2M1:
      return store_nibbles(source, target, count);
    case DType::kInt64:
      return store_all<IntElement<std::int64_t>>(source, target, count);
    case DType::kInt32:
      return store_all<IntElement<std::int32_t>>(source, target, count);
    case DType::kInt16:
      return store_all<IntElement<std::int16_t>>(source, target, count);
    case DType::kInt8:
      return store_all<IntElement<std::int8_t>>(source, target, count);
    case DType::kUInt8:
      return store_all<IntElement<std::uint8_t>>(source, target, count);
    case DType::kBool:
      return store_all<BoolElement>(source, target, count);
  }
}

}  // namespace

FIB_VECTOR_CLONES void to_float(DType dtype, const void* source, float* target, std::size_t count) {
  load_any(dtype, source, target, count);
}

FIB_VECTOR_CLONES void from_float(DType dtype, const float* source, void* target, std::size_t count) {
  store_any(dtype, source, target, count);
}

FIB_VECTOR_CLONES void to_double(DType dtype, const void* source, double* target, std::size_t count) {
  load_any(dtype, source, target, count);
}

FIB_VECTOR_CLONES void from_double(DType dtype, const double* source, void* target, std::size_t count) {
  store_any(dtype, source, target, count);
}

}  // namespace fib::tensor
