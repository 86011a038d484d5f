#pragma once

#include "tensor/portable.h"

// Logarithm, sine, cosine and exponential for random numbers, from integer operations and single, exactly
// rounded float operations only: no library, no contraction, no table. That makes the bits the same
// everywhere; accuracy is a few units in the last place of the radius (float32: 5e-7 of the radius, float64:
// 1e-15), far beyond what a random number needs. Everything is branch-free, so that loops over it vectorise.
//
// Coefficients: float32 from Cephes 2.2 (Moshier: logf.c, sinf.c, exp2f.c), float64 from fdlibm 5.3 (Sun:
// e_log.c, k_sin.c, k_cos.c), as published.
namespace fib::tensor {

// ((highest * x + next) * x + ...), each step rounded twice.
template <typename Real>
FIB_HOST_DEVICE Real horner(Real, Real value) {
  return value;
}
template <typename Real, typename... Rest>
FIB_HOST_DEVICE Real horner(Real x, Real highest, Real next, Rest... rest) {
  return horner(x, add(multiply(highest, x), next), rest...);
}

// ln(u * 2^-31) for a normal float u >= 0.5.
FIB_HOST_DEVICE float log_of_fraction(float u) {
  constexpr u32 kSquareRootOfHalf = 0x3f3504f3U;
  const u32 bits = bits_of_float(u);
  const i32 exponent = static_cast<i32>(bits - kSquareRootOfHalf) >> 23;
  const float f = subtract(float_of_bits(bits - (static_cast<u32>(exponent) << 23)), 1.0F);
  const float e = static_cast<float>(exponent - 31);
  const float z = multiply(f, f);
  const float p =
      horner(f, 7.0376836292E-2F, -1.1514610310E-1F, 1.1676998740E-1F, -1.2420140846E-1F, 1.4249322787E-1F,
             -1.6668057665E-1F, 2.0000714765E-1F, -2.4999993993E-1F, 3.3333331174E-1F);
  float y = multiply(multiply(p, f), z);
  y = add(y, multiply(e, -2.12194440E-4F));
  y = subtract(y, multiply(0.5F, z));
  return add(add(f, y), multiply(e, 0.693359375F));
}

// ln(u * 2^-52) for a normal double u >= 0.5.
FIB_HOST_DEVICE double log_of_fraction(double u) {
  constexpr u64 kSquareRootOfHalf = 0x3fe6a09e667f3bcdULL;
  const u64 bits = bits_of_double(u);
  const i64 exponent = static_cast<i64>(bits - kSquareRootOfHalf) >> 52;
  const double f = subtract(double_of_bits(bits - (static_cast<u64>(exponent) << 52)), 1.0);
  const double e = static_cast<double>(exponent - 52);
  const double half_square = multiply(multiply(0.5, f), f);
  const double s = divide(f, add(2.0, f));
  const double z = multiply(s, s);
  const double r =
      multiply(z, horner(z, 1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                         2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                         6.666666666666735130e-01));
  const double low = add(multiply(s, add(half_square, r)), multiply(e, 1.90821492927058770002e-10));
  return add(add(subtract(low, half_square), f), multiply(e, 6.93147180369123816490e-01));
}

// Sine and cosine of x in [-pi/4, pi/4].
FIB_HOST_DEVICE float sine(float x) {
  const float z = multiply(x, x);
  const float p = horner(z, -1.9515295891E-4F, 8.3321608736E-3F, -1.6666654611E-1F);
  return add(multiply(multiply(p, z), x), x);
}
FIB_HOST_DEVICE float cosine(float x) {
  const float z = multiply(x, x);
  const float p = horner(z, 2.443315711809948E-5F, -1.388731625493765E-3F, 4.166664568298827E-2F);
  return add(subtract(multiply(multiply(p, z), z), multiply(0.5F, z)), 1.0F);
}
FIB_HOST_DEVICE double sine(double x) {
  const double z = multiply(x, x);
  const double p =
      horner(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
             -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01);
  return add(multiply(multiply(p, z), x), x);
}
FIB_HOST_DEVICE double cosine(double x) {
  const double z = multiply(x, x);
  const double p =
      horner(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
             2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02);
  return add(subtract(multiply(multiply(p, z), z), multiply(0.5, z)), 1.0);
}

template <typename Real>
struct Normals {
  Real first, second;
};

// Two independent N(0,1) from two words of random bits (Box and Muller): radius sqrt(-2 ln u) with u in (0,
// 1) from the upper 31 bits of `radius_word`, angle from all bits of `angle_word`. Never 0; at most 6.67 in
// magnitude.
FIB_HOST_DEVICE Normals<float> normals(u32 radius_word, u32 angle_word) {
  const float wide = static_cast<float>(static_cast<i32>(radius_word >> 1));
  const float below_1 = wide > 2147483520.0F ? 2147483520.0F : wide;  // keeps u below 1, the radius above 0
  const float radius = square_root(multiply(-2.0F, log_of_fraction(add(below_1, 0.5F))));
  // The angle is quadrant * pi/2 + x, x in [-pi/4, pi/4]; the half keeps x off 0.
  const u32 quadrant = (angle_word + 0x20000000U) >> 30;
  const i32 rest = static_cast<i32>(angle_word - (quadrant << 30));
  const float x = multiply(add(static_cast<float>(rest), 0.5F), 1.4629180792671596e-9F);  // 2 pi / 2^32
  const float c = cosine(x);
  const float s = sine(x);
  const float across = (quadrant & 1U) != 0 ? s : c;
  const float up = (quadrant & 1U) != 0 ? c : s;
  const u32 across_sign = ((quadrant + 1U) & 2U) << 30;
  const u32 up_sign = (quadrant & 2U) << 30;
  return {multiply(radius, float_of_bits(bits_of_float(across) ^ across_sign)),
          multiply(radius, float_of_bits(bits_of_float(up) ^ up_sign))};
}

// The same for float64: u from the upper 52 bits; at most 8.58 in magnitude.
FIB_HOST_DEVICE Normals<double> normals(u64 radius_word, u64 angle_word) {
  const double wide = static_cast<double>(static_cast<i64>(radius_word >> 12));
  const double radius = square_root(multiply(-2.0, log_of_fraction(add(wide, 0.5))));
  const u64 quadrant = (angle_word + 0x2000000000000000ULL) >> 62;
  const i64 rest = static_cast<i64>(angle_word - (quadrant << 62));
  const double x = multiply(add(static_cast<double>(rest), 0.5), 3.4061215800865545e-19);  // 2 pi / 2^64
  const double c = cosine(x);
  const double s = sine(x);
  const double across = (quadrant & 1U) != 0 ? s : c;
  const double up = (quadrant & 1U) != 0 ? c : s;
  const u64 across_sign = ((quadrant + 1U) & 2U) << 62;
  const u64 up_sign = (quadrant & 2U) << 62;
  return {multiply(radius, double_of_bits(bits_of_double(across) ^ across_sign)),
          multiply(radius, double_of_bits(bits_of_double(up) ^ up_sign))};
}

// exp(x) * 2^12 cut to an integer, at least 1, for |x| <= 33.4: below 2^61.
FIB_HOST_DEVICE float exponential_weight(float x) {
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it leaves an integer in the lowest bits
  const float t = multiply(x, 1.44269504088896341F);
  const float rounded = add(t, kRounder);
  const u32 n = bits_of_float(rounded) - bits_of_float(kRounder);
  const float f = subtract(t, subtract(rounded, kRounder));
  const float power = horner(f, 1.535336188319500E-4F, 1.339887440266574E-3F, 9.618437357674640E-3F,
                             5.550332471162809E-2F, 2.402264791363012E-1F, 6.931472028550421E-1F, 1.0F);
  const float weight = float_of_bits(bits_of_float(power) + ((n + 12U) << 23));
  // Floats from 2^23 on have no fraction: all bits of `large` are set for them, none for smaller ones.
  const u32 large = 0U - ((0x4affffffU - bits_of_float(weight)) >> 31);
  const float cut = static_cast<float>(static_cast<i32>(float_of_bits(bits_of_float(weight) & ~large)));
  const float whole = float_of_bits(bits_of_float(cut) | (bits_of_float(weight) & large));
  return whole < 1.0F ? 1.0F : whole;
}

}  // namespace fib::tensor
