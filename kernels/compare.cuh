#pragma once

#include "kernels/fill.cuh"
#include "tensor/small_floats.h"

// The comparison of eval/compare.h on the device: the same rule, the same float operations, one pass. A
// thread takes 16 bytes of both sides; where their bits are equal there is nothing to do.
namespace fib {

// What all threads found together. Errors are the bits of doubles that are not negative, whose order is the
// numbers'. Zeroed by the host, but the indices: all ones.
struct Findings {
  u64 bad;
  u64 unwritten;
  u64 absolute_error;
  u64 relative_error;
  u64 nan_disagrees;
  u64 infinity_disagrees;
  u64 first_bad;
  u64 first_unwritten;
};

__device__ inline bool same_bits(uint4 a, uint4 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

template <typename Real>
struct RealBits;
template <>
struct RealBits<float> {
  using Type = u32;
  static constexpr u32 kInfinity = 0x7f800000U;
  static constexpr u32 kMagnitude = 0x7fffffffU;
  __device__ static u32 of(float value) { return tensor::bits_of_float(value); }
  __device__ static float from(u32 bits) { return tensor::float_of_bits(bits); }
};
template <>
struct RealBits<double> {
  using Type = u64;
  static constexpr u64 kInfinity = 0x7ff0000000000000ULL;
  static constexpr u64 kMagnitude = 0x7fffffffffffffffULL;
  __device__ static u64 of(double value) { return tensor::bits_of_double(value); }
  __device__ static double from(u64 bits) { return tensor::double_of_bits(bits); }
};

__device__ inline float multiply_down(float a, float b) { return __fmul_rd(a, b); }
__device__ inline double multiply_down(double a, double b) { return __dmul_rd(a, b); }

constexpr double kLargest = 1.7976931348623157e308;

// One thread's part of the findings, its errors as numbers of the type that they were computed in.
template <typename Real>
struct Local {
  u32 bad = 0;
  u32 unwritten = 0;
  bool nan_disagrees = false;
  bool infinity_disagrees = false;
  u64 first_bad = ~u64{0};  // a thread sees its indices in ascending order
  u64 first_unwritten = ~u64{0};
  Real absolute = 0;
  Real relative = 0;

  __device__ void is_bad(u64 index) {
    if (bad++ == 0) first_bad = index;
  }

  __device__ void is_unwritten(u64 index) {
    if (unwritten++ == 0) first_unwritten = index;
  }

  // Whether a finite pair that differs by `difference` is near enough. Dividing is what this costs: it is
  // left out where a product, rounded down, shows that the quotient is neither a new maximum nor above rtol.
  __device__ bool near(Real difference, Real expected_size, Real atol, Real rtol) {
    absolute = max(absolute, difference);
    const Real denominator = tensor::add(expected_size, static_cast<Real>(1e-8));
    if (difference <= multiply_down(min(relative, rtol), denominator)) return true;
    const Real ratio = tensor::divide(difference, denominator);
    relative = max(relative, ratio);
    return difference <= atol || ratio <= rtol;
  }

  // Whether a pair of floats matches (eval/compare_blocks.cpp has the host's form).
  __device__ bool matches(Real x, Real y, Real atol, Real rtol) {
    using Bits = RealBits<Real>;
    const auto x_size = Bits::of(x) & Bits::kMagnitude;
    const auto y_size = Bits::of(y) & Bits::kMagnitude;
    if (x_size < Bits::kInfinity && y_size < Bits::kInfinity) {
      return near(Bits::from(Bits::of(tensor::subtract(x, y)) & Bits::kMagnitude), Bits::from(y_size), atol,
                  rtol);
    }
    const bool x_nan = x_size > Bits::kInfinity;
    const bool y_nan = y_size > Bits::kInfinity;
    if (Bits::of(x) == Bits::of(y) || (x_nan && y_nan)) return true;
    nan_disagrees |= x_nan != y_nan;
    infinity_disagrees |= !x_nan && !y_nan;
    return false;
  }

  // Whether a pair of integers is equal; their errors are doubles.
  template <typename Int>
  __device__ bool equal(Int x, Int y) {
    if (x == y) return true;
    const u64 distance = static_cast<u64>(x > y ? x : y) - static_cast<u64>(x > y ? y : x);
    const Real value = static_cast<Real>(y);
    (void)near(static_cast<Real>(distance), value < 0 ? -value : value, 0, kLargest);
    return false;
  }
};

__device__ inline u64 join(u32 low, u32 high) { return tensor::join_words(low, high); }

// Adds one warp's findings to the global ones.
template <typename Real>
__device__ void publish(const Local<Real>& local, Findings* findings) {
  Findings f = {local.bad,
                local.unwritten,
                tensor::bits_of_double(static_cast<double>(local.absolute)),
                tensor::bits_of_double(static_cast<double>(local.relative)),
                local.nan_disagrees,
                local.infinity_disagrees,
                local.first_bad,
                local.first_unwritten};
  for (int offset = 16; offset > 0; offset /= 2) {
    f.bad += __shfl_down_sync(0xffffffffU, f.bad, offset);
    f.unwritten += __shfl_down_sync(0xffffffffU, f.unwritten, offset);
    f.absolute_error = max(f.absolute_error, __shfl_down_sync(0xffffffffU, f.absolute_error, offset));
    f.relative_error = max(f.relative_error, __shfl_down_sync(0xffffffffU, f.relative_error, offset));
    f.nan_disagrees |= __shfl_down_sync(0xffffffffU, f.nan_disagrees, offset);
    f.infinity_disagrees |= __shfl_down_sync(0xffffffffU, f.infinity_disagrees, offset);
    f.first_bad = min(f.first_bad, __shfl_down_sync(0xffffffffU, f.first_bad, offset));
    f.first_unwritten = min(f.first_unwritten, __shfl_down_sync(0xffffffffU, f.first_unwritten, offset));
  }
  if (threadIdx.x % 32 != 0) return;
  if (f.absolute_error != 0) atomicMax(&findings->absolute_error, f.absolute_error);
  if (f.relative_error != 0) atomicMax(&findings->relative_error, f.relative_error);
  if (f.nan_disagrees != 0) atomicOr(&findings->nan_disagrees, u64{1});
  if (f.infinity_disagrees != 0) atomicOr(&findings->infinity_disagrees, u64{1});
  if (f.bad == 0) return;
  atomicAdd(&findings->bad, f.bad);
  atomicAdd(&findings->unwritten, f.unwritten);
  atomicMin(&findings->first_bad, f.first_bad);
  if (f.unwritten != 0) atomicMin(&findings->first_unwritten, f.first_unwritten);
}

// How a comparison looks at its bytes: `kBits` of one element, and whether the poison can be a result (then
// only eight bytes of it in a row were never written).
template <int kBits, bool kStretches, typename Real, typename Matches>
__device__ void compare(const void* got, const void* expected, u64 count, u64 poison, Findings* findings,
                        Matches matches) {
  constexpr u64 kChunk = 128 / kBits;  // elements in 16 bytes
  constexpr u64 kWord = 64 / kBits;    // elements in 8 bytes
  constexpr u64 kMask = kBits == 64 ? ~u64{0} : (u64{1} << (kBits % 64)) - 1;
  const u64 bytes = (count * kBits + 7) / 8;
  Local<Real> local;
  for (u64 chunk = thread_index(); chunk * kChunk < count; chunk += thread_count()) {
    // Buffers are padded to 256 bytes, so the last chunk may be read whole.
    const uint4 a = __ldcg(static_cast<const uint4*>(got) + chunk);
    const uint4 b = __ldcg(static_cast<const uint4*>(expected) + chunk);
    if (same_bits(a, b)) continue;
    for (u32 half = 0; half < 2; ++half) {
      const u64 word_a = half == 0 ? join(a.x, a.y) : join(a.z, a.w);
      const u64 word_b = half == 0 ? join(b.x, b.y) : join(b.z, b.w);
      const u64 first = chunk * kChunk + half * kWord;
      if (first >= count) break;
      const int here = static_cast<int>(min(count - first, kWord));
      bool stretch = word_a == poison;
      if (kStretches && here < static_cast<int>(kWord)) {
        // The last stretch is the output's last eight bytes (all of a smaller output).
        stretch = true;
        const auto* all = static_cast<const unsigned char*>(got);
        const u64 begin = bytes < 8 ? 0 : bytes - 8;
        for (u64 i = begin; i < bytes; ++i)
          stretch &= all[i] == static_cast<unsigned char>(poison >> (8 * ((i - begin) % 8)));
      }
#pragma unroll
      for (int i = 0; i < static_cast<int>(kWord); ++i) {
        if (i >= here) break;
        const u64 x = word_a >> (i * kBits % 64) & kMask;
        const u64 y = word_b >> (i * kBits % 64) & kMask;
        const bool unwritten = x != y && (kStretches ? stretch : x == (poison & kMask));
        if (unwritten) local.is_unwritten(first + static_cast<u64>(i));
        // What was never written is wrong, and has no error.
        if (unwritten || !matches(local, x, y)) local.is_bad(first + static_cast<u64>(i));
      }
    }
  }
  publish(local, findings);
}

#define FIB_COMPARE_FLOATS(name, bits, stretches, decode)                                                   \
  extern "C" __global__ void fib_compare_##name(const void* got, const void* expected, u64 count,           \
                                                u64 poison, double atol, double rtol, Findings* findings) { \
    compare<bits, stretches, float>(                                                                        \
        got, expected, count, poison, findings, [=](Local<float>& local, u64 x, u64 y) {                    \
          return local.matches(decode(static_cast<u32>(x)), decode(static_cast<u32>(y)),                    \
                               static_cast<float>(atol), static_cast<float>(rtol));                         \
        });                                                                                                 \
  }
FIB_COMPARE_FLOATS(float32, 32, false, tensor::float_of_bits)
FIB_COMPARE_FLOATS(float16, 16, false, tensor::Float16Bits::decode)
FIB_COMPARE_FLOATS(bfloat16, 16, false, tensor::BFloat16Bits::decode)
FIB_COMPARE_FLOATS(float8_e4m3fn, 8, true, tensor::Float8E4M3FNBits::decode)
FIB_COMPARE_FLOATS(float8_e5m2, 8, true, tensor::Float8E5M2Bits::decode)
FIB_COMPARE_FLOATS(float4_e2m1, 4, true, tensor::Float4E2M1Bits::decode)
#undef FIB_COMPARE_FLOATS

extern "C" __global__ void fib_compare_float64(const void* got, const void* expected, u64 count, u64 poison,
                                               double atol, double rtol, Findings* findings) {
  compare<64, false, double>(got, expected, count, poison, findings, [=](Local<double>& local, u64 x, u64 y) {
    return local.matches(tensor::double_of_bits(x), tensor::double_of_bits(y), atol, rtol);
  });
}

#define FIB_COMPARE_INTEGERS(name, bits, stretches, type)                                              \
  extern "C" __global__ void fib_compare_##name(const void* got, const void* expected, u64 count,      \
                                                u64 poison, double, double, Findings* findings) {      \
    compare<bits, stretches, double>(got, expected, count, poison, findings,                           \
                                     [](Local<double>& local, u64 x, u64 y) {                          \
                                       return local.equal(static_cast<type>(x), static_cast<type>(y)); \
                                     });                                                               \
  }
FIB_COMPARE_INTEGERS(int64, 64, true, i64)
FIB_COMPARE_INTEGERS(int32, 32, true, i32)
FIB_COMPARE_INTEGERS(int16, 16, true, short)
FIB_COMPARE_INTEGERS(int8, 8, true, signed char)
FIB_COMPARE_INTEGERS(uint8, 8, true, unsigned char)
FIB_COMPARE_INTEGERS(bool, 8, false, unsigned char)
#undef FIB_COMPARE_INTEGERS

}  // namespace fib
