#include <array>
#include <cmath>
#include <numeric>

#include "reference/arguments.h"

namespace fib::reference {
namespace {

struct RealFunction {
  const char* name;
  double (*function)(double);
};

constexpr std::array<RealFunction, 20> kRealFunctions = {
    {{"sqrt", std::sqrt}, {"exp", std::exp},     {"exp2", std::exp2},   {"expm1", std::expm1},
     {"log2", std::log2}, {"log10", std::log10}, {"log1p", std::log1p}, {"sin", std::sin},
     {"cos", std::cos},   {"tan", std::tan},     {"asin", std::asin},   {"acos", std::acos},
     {"atan", std::atan}, {"sinh", std::sinh},   {"cosh", std::cosh},   {"tanh", std::tanh},
     {"fabs", std::fabs}, {"erf", std::erf},     {"erfc", std::erfc},   {"gamma", std::tgamma}}};

Value integral(double value) {
  if (!(std::abs(value) < 0x1p63)) throw Error("{} does not fit an integer of 64 bits", value);
  return static_cast<std::int64_t>(value);
}

Value log(const Runtime&, const Arguments& a) {
  const double x = a.real("x");
  if (x <= 0) throw Error("math.log needs a number above 0, not {}", x);
  return a.has("base") ? std::log(x) / std::log(a.real("base")) : std::log(x);
}

Value pow(const Runtime&, const Arguments& a) { return std::pow(a.real("x"), a.real("y")); }
Value atan2(const Runtime&, const Arguments& a) { return std::atan2(a.real("y"), a.real("x")); }
Value hypot(const Runtime&, const Arguments& a) { return std::hypot(a.real("x"), a.real("y")); }
Value floor(const Runtime&, const Arguments& a) { return integral(std::floor(a.real("x"))); }
Value ceil(const Runtime&, const Arguments& a) { return integral(std::ceil(a.real("x"))); }
Value trunc(const Runtime&, const Arguments& a) { return integral(std::trunc(a.real("x"))); }
Value isnan(const Runtime&, const Arguments& a) { return std::isnan(a.real("x")); }
Value isinf(const Runtime&, const Arguments& a) { return std::isinf(a.real("x")); }
Value isfinite(const Runtime&, const Arguments& a) { return std::isfinite(a.real("x")); }
Value gcd(const Runtime&, const Arguments& a) { return std::gcd(a.integer("a"), a.integer("b")); }

Value prod(const Runtime&, const Arguments& a) {
  std::int64_t result = 1;
  for (const Value& item : items_of(a.value("iterable"))) {
    if (__builtin_mul_overflow(result, to_index(item), &result))
      throw Error("an integer does not fit 64 bits");
  }
  return result;
}

constexpr std::array<BuiltinRow, 12> kMathFunctions = {{{"log", kMath, "x base?", log},
                                                        {"pow", kMath, "x y", pow},
                                                        {"atan2", kMath, "y x", atan2},
                                                        {"hypot", kMath, "x y", hypot},
                                                        {"floor", kMath, "x", floor},
                                                        {"ceil", kMath, "x", ceil},
                                                        {"trunc", kMath, "x", trunc},
                                                        {"isnan", kMath, "x", isnan},
                                                        {"isinf", kMath, "x", isinf},
                                                        {"isfinite", kMath, "x", isfinite},
                                                        {"gcd", kMath, "a b", gcd},
                                                        {"prod", kMath, "iterable", prod}}};

}  // namespace

void add_math_functions(Registry& registry) {
  for (const RealFunction& row : kRealFunctions) {
    registry.add(row.name, kMath, "x",
                 [function = row.function](const Runtime&, const Arguments& a) -> Value {
                   const double x = a.real("x");
                   const double result = function(x);
                   if (std::isnan(result) && !std::isnan(x))
                     throw Error("{} is not defined for {}", a.function_name(), x);
                   return result;
                 });
  }
  for (const BuiltinRow& row : kMathFunctions) registry.add(row);
}

}  // namespace fib::reference
