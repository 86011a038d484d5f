#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ops/elementwise.h"
#include "util/error.h"

// What every element-wise operation computes: one formula a row.
namespace fib::ops {
namespace {

using Int = std::int64_t;
using UInt = std::uint64_t;

template <typename Real, auto formula>
void map(const Real* x, Real* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<Real>(formula(x[i]));
}

template <typename Real, auto formula>
void zip(const Real* a, const Real* b, Real* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<Real>(formula(a[i], b[i]));
}

// One formula for floats; integers become float32 first.
template <auto formula>
constexpr UnaryOp floats(std::string_view name, int cost) {
  return {name, ResultDType::kFloat, map<float, formula>, map<double, formula>, nullptr, cost};
}

// One formula for floats, one for integers.
template <auto formula, auto on_int>
constexpr UnaryOp numbers(std::string_view name) {
  return {name, ResultDType::kCommon, map<float, formula>, map<double, formula>, map<Int, on_int>, 1};
}

template <auto formula>
constexpr UnaryOp tests(std::string_view name) {
  return {name, ResultDType::kBool, map<float, formula>, map<double, formula>, map<Int, formula>, 1};
}

template <auto formula>
constexpr BinaryOp float_pairs(std::string_view name, int cost) {
  return {name, ResultDType::kFloat, zip<float, formula>, zip<double, formula>, nullptr, cost};
}

template <auto formula, auto on_int>
constexpr BinaryOp number_pairs(std::string_view name, int cost = 1) {
  return {name, ResultDType::kCommon, zip<float, formula>, zip<double, formula>, zip<Int, on_int>, cost};
}

template <auto formula>
constexpr BinaryOp int_pairs(std::string_view name) {
  return {name, ResultDType::kCommon, nullptr, nullptr, zip<Int, formula>, 1};
}

template <auto formula>
constexpr BinaryOp test_pairs(std::string_view name) {
  return {name, ResultDType::kBool, zip<float, formula>, zip<double, formula>, zip<Int, formula>, 1};
}

// Integer arithmetic wraps around, as torch's does.
constexpr auto kSame = [](auto x) { return x; };
constexpr auto kIntNeg = [](Int x) { return Int(UInt{0} - UInt(x)); };
constexpr auto kIntAdd = [](Int a, Int b) { return Int(UInt(a) + UInt(b)); };
constexpr auto kIntSub = [](Int a, Int b) { return Int(UInt(a) - UInt(b)); };
constexpr auto kIntMul = [](Int a, Int b) { return Int(UInt(a) * UInt(b)); };
constexpr auto kIntSign = [](Int x) { return Int((x > 0) - (x < 0)); };
constexpr auto kIntAbs = [](Int x) { return x < 0 ? kIntNeg(x) : x; };

// Divisors of 0 are refused before; -1 is apart because the smallest integer has no positive counterpart.
constexpr auto kIntTruncate = [](Int a, Int b) { return b == -1 ? kIntNeg(a) : a / b; };
constexpr auto kIntFmod = [](Int a, Int b) { return b == -1 ? Int{0} : a % b; };
constexpr auto kIntFloor = [](Int a, Int b) {
  return kIntTruncate(a, b) - Int(kIntFmod(a, b) != 0 && (a < 0) != (b < 0));
};
constexpr auto kIntRemainder = [](Int a, Int b) {
  const Int rest = kIntFmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
};
constexpr auto kIntPow = [](Int base, Int exponent) {
  UInt result = 1;
  for (UInt power = UInt(base); exponent > 0; exponent >>= 1U, power *= power) {
    if ((exponent & 1) != 0) result *= power;
  }
  return Int(result);
};
constexpr auto kShiftLeft = [](Int a, Int b) { return b < 0 || b > 63 ? Int{0} : Int(UInt(a) << UInt(b)); };
constexpr auto kShiftRight = [](Int a, Int b) { return a >> (b < 0 || b > 63 ? 63 : b); };

constexpr auto kRemainder = [](auto a, auto b) {
  const auto rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
};
// Python's floor division, which is exact where a / b would round up to the next integer.
constexpr auto kFloorDivide = [](auto a, auto b) {
  using R = decltype(a);
  if (b == 0) return a / b;
  const R rest = std::fmod(a, b);
  R quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= R{1};
  if (quotient == 0) return std::copysign(R{0}, a / b);
  const R floor = std::floor(quotient);
  return quotient - floor > R{0.5} ? floor + R{1} : floor;
};

// NaN wins, whichever side it is on.
constexpr auto kMaximum = [](auto a, auto b) { return a > b || a != a ? a : b; };
constexpr auto kMinimum = [](auto a, auto b) { return a < b || a != a ? a : b; };

constexpr auto kSigmoid = [](auto x) { return decltype(x){1} / (decltype(x){1} + std::exp(-x)); };
constexpr auto kGelu = [](auto x) {
  using R = decltype(x);
  return R{0.5} * x * (R{1} + std::erf(x * (std::numbers::sqrt2_v<R> / R{2})));
};
constexpr auto kGeluTanh = [](auto x) {
  using R = decltype(x);
  constexpr R kBeta = std::numbers::sqrt2_v<R> * std::numbers::inv_sqrtpi_v<R>;
  return R{0.5} * x * (R{1} + std::tanh(kBeta * (x + R(0.044715) * x * x * x)));
};
constexpr auto kRelu = [](auto x) { return x > 0 || x != x ? x : decltype(x){0}; };
// Beyond torch's threshold of 20, log(1 + e^x) is x.
constexpr auto kSoftplus = [](auto x) { return x > 20 ? x : std::log1p(std::exp(x)); };
constexpr auto kGreater = [](auto a, auto b) { return a > b; };
constexpr auto kGreaterEqual = [](auto a, auto b) { return a >= b; };
constexpr auto kSign = [](auto x) { return decltype(x)((x > 0) - (x < 0)); };

constexpr std::array kUnaryOps = {
    numbers<[](auto x) { return -x; }, kIntNeg>("neg"),
    numbers<[](auto x) { return std::abs(x); }, kIntAbs>("abs"),
    numbers<kSign, kIntSign>("sign"),
    numbers<[](auto x) { return std::floor(x); }, kSame>("floor"),
    numbers<[](auto x) { return std::ceil(x); }, kSame>("ceil"),
    numbers<[](auto x) { return std::trunc(x); }, kSame>("trunc"),
    numbers<[](auto x) { return std::nearbyint(x); }, kSame>("round"),
    numbers<[](auto x) { return x * x; }, [](Int x) { return kIntMul(x, x); }>("square"),
    numbers<kRelu, kRelu>("relu"),
    floats<[](auto x) { return decltype(x){1} / x; }>("reciprocal", 1),
    floats<[](auto x) { return std::sqrt(x); }>("sqrt", 1),
    floats<[](auto x) { return decltype(x){1} / std::sqrt(x); }>("rsqrt", 1),
    floats<[](auto x) { return std::exp(x); }>("exp", 8),
    floats<[](auto x) { return std::exp2(x); }>("exp2", 8),
    floats<[](auto x) { return std::expm1(x); }>("expm1", 8),
    floats<[](auto x) { return std::log(x); }>("log", 8),
    floats<[](auto x) { return std::log2(x); }>("log2", 8),
    floats<[](auto x) { return std::log10(x); }>("log10", 8),
    floats<[](auto x) { return std::log1p(x); }>("log1p", 8),
    floats<[](auto x) { return std::sin(x); }>("sin", 8),
    floats<[](auto x) { return std::cos(x); }>("cos", 8),
    floats<[](auto x) { return std::tan(x); }>("tan", 16),
    floats<[](auto x) { return std::asin(x); }>("asin", 16),
    floats<[](auto x) { return std::acos(x); }>("acos", 16),
    floats<[](auto x) { return std::atan(x); }>("atan", 16),
    floats<[](auto x) { return std::sinh(x); }>("sinh", 16),
    floats<[](auto x) { return std::cosh(x); }>("cosh", 16),
    floats<[](auto x) { return std::tanh(x); }>("tanh", 16),
    floats<[](auto x) { return std::erf(x); }>("erf", 16),
    floats<[](auto x) { return std::erfc(x); }>("erfc", 16),
    floats<kSigmoid>("sigmoid", 8),
    floats<[](auto x) { return x / (decltype(x){1} + std::exp(-x)); }>("silu", 8),
    floats<kGelu>("gelu", 16),
    floats<kGeluTanh>("gelu_tanh", 16),
    floats<kSoftplus>("softplus", 16),
    floats<[](auto x) { return -std::log1p(std::exp(-std::abs(x))) + (x < 0 ? x : decltype(x){0}); }>(
        "logsigmoid", 16),
    tests<[](auto x) { return x == 0; }>("logical_not"),
    tests<[](auto x) { return x != x; }>("isnan"),
    tests<[](auto x) { return std::isinf(static_cast<double>(x)); }>("isinf"),
    tests<[](auto x) { return std::isfinite(static_cast<double>(x)); }>("isfinite"),
    UnaryOp{"bitwise_not", ResultDType::kCommon, nullptr, nullptr, map<Int, [](Int x) { return ~x; }>, 1},
};

constexpr std::array kBinaryOps = {
    number_pairs<[](auto a, auto b) { return a + b; }, kIntAdd>("add"),
    number_pairs<[](auto a, auto b) { return a - b; }, kIntSub>("sub"),
    number_pairs<[](auto a, auto b) { return a * b; }, kIntMul>("mul"),
    float_pairs<[](auto a, auto b) { return a / b; }>("div", 1),
    number_pairs<kFloorDivide, kIntFloor>("floor_divide", 16),
    number_pairs<[](auto a, auto b) { return std::trunc(a / b); }, kIntTruncate>("divide_trunc", 2),
    number_pairs<kRemainder, kIntRemainder>("remainder", 16),
    number_pairs<[](auto a, auto b) { return std::fmod(a, b); }, kIntFmod>("fmod", 16),
    number_pairs<[](auto a, auto b) { return std::pow(a, b); }, kIntPow>("pow", 16),
    number_pairs<kMaximum, kMaximum>("maximum"),
    number_pairs<kMinimum, kMinimum>("minimum"),
    float_pairs<[](auto a, auto b) { return std::atan2(a, b); }>("atan2", 16),
    float_pairs<[](auto a, auto b) { return std::hypot(a, b); }>("hypot", 4),
    test_pairs<[](auto a, auto b) { return a == b; }>("eq"),
    test_pairs<[](auto a, auto b) { return a != b; }>("ne"),
    test_pairs<[](auto a, auto b) { return a < b; }>("lt"),
    test_pairs<[](auto a, auto b) { return a <= b; }>("le"),
    test_pairs<kGreater>("gt"),
    test_pairs<kGreaterEqual>("ge"),
    test_pairs<[](auto a, auto b) { return a != 0 && b != 0; }>("logical_and"),
    test_pairs<[](auto a, auto b) { return a != 0 || b != 0; }>("logical_or"),
    test_pairs<[](auto a, auto b) { return (a != 0) != (b != 0); }>("logical_xor"),
    int_pairs<[](Int a, Int b) { return a & b; }>("bitwise_and"),
    int_pairs<[](Int a, Int b) { return a | b; }>("bitwise_or"),
    int_pairs<[](Int a, Int b) { return a ^ b; }>("bitwise_xor"),
    int_pairs<kShiftLeft>("bitwise_left_shift"),
    int_pairs<kShiftRight>("bitwise_right_shift"),
};

template <typename Ops>
auto find(const Ops& ops, std::string_view name) {
  const auto found = std::find_if(ops.begin(), ops.end(), [&](const auto& op) { return op.name == name; });
  if (found == ops.end()) throw Error("there is no element-wise operation \"{}\"", name);
  return found;
}

}  // namespace

const UnaryOp& unary_op(std::string_view name) { return *find(kUnaryOps, name); }
const BinaryOp& binary_op(std::string_view name) { return *find(kBinaryOps, name); }
std::span<const UnaryOp> unary_ops() { return kUnaryOps; }
std::span<const BinaryOp> binary_ops() { return kBinaryOps; }

}  // namespace fib::ops
