#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

bool close(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

struct UnaryCase {
  const char* expression;
  std::function<double(double)> expected;
};

const std::vector<UnaryCase> kUnaryCases = {
    {"-a", [](double x) { return -x; }},
    {"torch.abs(a)", [](double x) { return std::abs(x); }},
    {"a.sign()", [](double x) { return static_cast<double>((x > 0) - (x < 0)); }},
    {"torch.floor(a)", [](double x) { return std::floor(x); }},
    {"torch.ceil(a)", [](double x) { return std::ceil(x); }},
    {"torch.trunc(a)", [](double x) { return std::trunc(x); }},
    {"torch.round(a)", [](double x) { return std::nearbyint(x); }},
    {"torch.square(a)", [](double x) { return x * x; }},
    {"torch.relu(a)", [](double x) { return std::max(x, 0.0); }},
    {"torch.reciprocal(a)", [](double x) { return 1 / x; }},
    {"torch.sqrt(a)", [](double x) { return std::sqrt(x); }},
    {"torch.rsqrt(a)", [](double x) { return 1 / std::sqrt(x); }},
    {"torch.exp(a)", [](double x) { return std::exp(x); }},
    {"torch.exp2(a)", [](double x) { return std::exp2(x); }},
    {"torch.expm1(a)", [](double x) { return std::expm1(x); }},
    {"torch.log(a)", [](double x) { return std::log(x); }},
    {"torch.log2(a)", [](double x) { return std::log2(x); }},
    {"torch.log10(a)", [](double x) { return std::log10(x); }},
    {"torch.log1p(a)", [](double x) { return std::log1p(x); }},
    {"torch.sin(a)", [](double x) { return std::sin(x); }},
    {"torch.cos(a)", [](double x) { return std::cos(x); }},
    {"torch.tan(a)", [](double x) { return std::tan(x); }},
    {"torch.asin(a)", [](double x) { return std::asin(x); }},
    {"torch.acos(a)", [](double x) { return std::acos(x); }},
    {"torch.atan(a)", [](double x) { return std::atan(x); }},
    {"torch.sinh(a)", [](double x) { return std::sinh(x); }},
    {"torch.cosh(a)", [](double x) { return std::cosh(x); }},
    {"torch.tanh(a)", [](double x) { return std::tanh(x); }},
    {"torch.erf(a)", [](double x) { return std::erf(x); }},
    {"torch.erfc(a)", [](double x) { return std::erfc(x); }},
    {"torch.sigmoid(a)", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"F.silu(a)", [](double x) { return x / (1 + std::exp(-x)); }},
    {"F.gelu(a)", [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2))); }},
    {"F.gelu(a, approximate='tanh')",
     [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }},
    {"F.softplus(a)", [](double x) { return x > 20 ? x : std::log1p(std::exp(x)); }},
    {"F.logsigmoid(a)", [](double x) { return -std::log1p(std::exp(-x)); }},
    {"F.leaky_relu(a, 0.1)", [](double x) { return x > 0 ? x : 0.1 * x; }},
    {"a ** 2", [](double x) { return x * x; }},
    {"a ** 3", [](double x) { return x * x * x; }},
    {"a.pow(0.5)", [](double x) { return std::sqrt(x); }},
    {"a ** -1.0", [](double x) { return 1 / x; }},
    {"2 ** a", [](double x) { return std::exp2(x); }},
    {"a.clamp(-0.5, 1)", [](double x) { return std::clamp(x, -0.5, 1.0); }},
    {"torch.clamp(a, min=0.25)", [](double x) { return std::max(x, 0.25); }},
    {"a.clip(max=0.25)", [](double x) { return std::min(x, 0.25); }},
};

TEST_CASE("Functions of one element have their values in float32 and float64") {
  const std::vector<double> inputs = {-2.5, -1.0, -0.5, -0.125, 0.25, 0.5, 1.0, 1.5, 2.5, 30.0};
  for (const UnaryCase& c : kUnaryCases) {
    INFO(c.expression);
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      HostTensor a = make(dtype, {10}, inputs);
      const HostTensor result = eval(c.expression, {a.argument()});
      CHECK(result.dtype == dtype);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        INFO(inputs[i]);
        CHECK(close(result.values().at(i), c.expected(inputs[i]), dtype == DType::kFloat32 ? 2e-6 : 1e-13));
      }
    }
  }
}

TEST_CASE("Small floats are computed in float32 and rounded once") {
  // 3.0234375 lies halfway between two values of bfloat16 and goes to the even one.
  HostTensor a = make(DType::kBFloat16, {2}, {1.0078125, 100});
  CHECK(values_of("a * 3", {a.argument()}) == std::vector<double>{3.03125, 300});
  const HostTensor silu = eval("F.silu(a)", {a.argument()});
  CHECK(silu.dtype == DType::kBFloat16);
  CHECK(silu.values().at(1) == 100);
  // 0.1 is not rounded to bfloat16 before it is multiplied: 100 * 0.1 is 10, not 10.0097...
  CHECK(values_of("a * 0.1", {a.argument()}).at(1) == 10);
}

TEST_CASE("NaN and infinities pass through") {
  HostTensor a = make(DType::kFloat32, {5}, {kNaN, kInf, -kInf, 0, -1});
  CHECK(values_of("torch.isnan(a)", {a.argument()}) == std::vector<double>{1, 0, 0, 0, 0});
  CHECK(values_of("torch.isinf(a)", {a.argument()}) == std::vector<double>{0, 1, 1, 0, 0});
  CHECK(values_of("torch.isfinite(a)", {a.argument()}) == std::vector<double>{0, 0, 0, 1, 1});
  const auto relu = values_of("torch.relu(a)", {a.argument()});
  CHECK(std::isnan(relu[0]));
  CHECK(relu[1] == kInf);
  CHECK(relu[2] == 0);
  CHECK(std::isnan(values_of("a.clamp(-1, 1)", {a.argument()})[0]));
  CHECK(std::isnan(values_of("torch.maximum(a, torch.zeros(5))", {a.argument()})[0]));
  CHECK(std::isnan(values_of("torch.maximum(torch.zeros(5), a)", {a.argument()})[0]));
  CHECK(values_of("a == a", {a.argument()}) == std::vector<double>{0, 1, 1, 1, 1});
  CHECK(values_of("torch.exp(a)", {a.argument()})[2] == 0);
  CHECK(std::isnan(values_of("torch.sqrt(a)", {a.argument()})[4]));
}

TEST_CASE("Arithmetic of two tensors broadcasts") {
  HostTensor a = make(DType::kFloat32, {2, 3}, {1, 2, 3, 4, 5, 6});
  HostTensor b = make(DType::kFloat32, {3}, {10, 20, 30});
  HostTensor c = make(DType::kFloat32, {2, 1}, {100, 200});
  CHECK(values_of("a + b", {a.argument(), b.argument()}) == std::vector<double>{11, 22, 33, 14, 25, 36});
  CHECK(values_of("a - c", {a.argument(), b.argument(), c.argument()}) ==
        std::vector<double>{-99, -98, -97, -196, -195, -194});
  const HostTensor product = eval("b * c", {a.argument(), b.argument(), c.argument()});
  CHECK(product.shape == Shape{2, 3});
  CHECK(product.values() == std::vector<double>{1000, 2000, 3000, 2000, 4000, 6000});
  CHECK(values_of("b / 4", {a.argument(), b.argument()}) == std::vector<double>{2.5, 5, 7.5});
  CHECK(values_of("1 - b", {a.argument(), b.argument()}) == std::vector<double>{-9, -19, -29});
  CHECK(values_of("torch.add(a, b, alpha=2)", {a.argument(), b.argument()}) ==
        std::vector<double>{21, 42, 63, 24, 45, 66});
  CHECK(values_of("a.lerp(a + 4, 0.25)", {a.argument()}) == std::vector<double>{2, 3, 4, 5, 6, 7});
}

TEST_CASE("Integer division and remainder follow Python's signs") {
  HostTensor a = make(DType::kInt32, {4}, {7, -7, 7, -7});
  HostTensor b = make(DType::kInt32, {4}, {2, 2, -2, -2});
  const std::vector<fib::reference::Argument> args = {a.argument(), b.argument()};
  CHECK(values_of("a // b", args) == std::vector<double>{3, -4, -4, 3});
  CHECK(values_of("a % b", args) == std::vector<double>{1, 1, -1, -1});
  CHECK(values_of("torch.fmod(a, b)", args) == std::vector<double>{1, -1, 1, -1});
  CHECK(values_of("torch.div(a, b, rounding_mode='trunc')", args) == std::vector<double>{3, -3, -3, 3});
  CHECK(values_of("torch.div(a, b, rounding_mode='floor')", args) == std::vector<double>{3, -4, -4, 3});
  const HostTensor quotient = eval("a / b", args);
  CHECK(quotient.dtype == DType::kFloat32);
  CHECK(quotient.values() == std::vector<double>{3.5, -3.5, -3.5, 3.5});
  HostTensor f = make(DType::kFloat32, {4}, {7.5, -7.5, 7.5, -7.5});
  CHECK(values_of("a // 2", {f.argument()}) == std::vector<double>{3, -4, 3, -4});
  CHECK(values_of("a % 2", {f.argument()}) == std::vector<double>{1.5, 0.5, 1.5, 0.5});
}

TEST_CASE("Integers wrap around in their dtype") {
  HostTensor a = make(DType::kInt8, {2}, {100, -100});
  CHECK(values_of("a + a", {a.argument()}) == std::vector<double>{-56, 56});
  CHECK(values_of("a * 3", {a.argument()}) == std::vector<double>{44, -44});
  HostTensor u = make(DType::kUInt8, {2}, {200, 7});
  CHECK(values_of("a + 100", {u.argument()}) == std::vector<double>{44, 107});
  CHECK(values_of("a ** 2", {u.argument()}) == std::vector<double>{64, 49});
}

TEST_CASE("Bits of integers and truth of bools") {
  HostTensor u = make(DType::kUInt8, {3}, {0xAB, 0x0F, 0xF0});
  CHECK(values_of("a & 0xF", {u.argument()}) == std::vector<double>{0xB, 0xF, 0});
  CHECK(values_of("a >> 4", {u.argument()}) == std::vector<double>{0xA, 0, 0xF});
  CHECK(values_of("(a | 1) ^ 1", {u.argument()}) == std::vector<double>{0xAA, 0x0E, 0xF0});
  CHECK(values_of("a << 4", {u.argument()}) == std::vector<double>{0xB0, 0xF0, 0});
  HostTensor i = make(DType::kInt32, {2}, {-8, 5});
  CHECK(values_of("a >> 1", {i.argument()}) == std::vector<double>{-4, 2});
  CHECK(values_of("~a", {i.argument()}) == std::vector<double>{7, -6});
  HostTensor t = make(DType::kBool, {2}, {1, 0});
  const HostTensor inverted = eval("~a", {t.argument()});
  CHECK(inverted.dtype == DType::kBool);
  CHECK(inverted.values() == std::vector<double>{0, 1});
  CHECK(values_of("a & ~a", {t.argument()}) == std::vector<double>{0, 0});
  CHECK(values_of("torch.logical_or(a, ~a)", {t.argument()}) == std::vector<double>{1, 1});
}

TEST_CASE("Comparisons and where") {
  HostTensor a = make(DType::kFloat32, {3}, {1, 2, 3});
  const HostTensor less = eval("a < 2", {a.argument()});
  CHECK(less.dtype == DType::kBool);
  CHECK(less.values() == std::vector<double>{1, 0, 0});
  CHECK(values_of("a >= 2", {a.argument()}) == std::vector<double>{0, 1, 1});
  CHECK(values_of("a != 2", {a.argument()}) == std::vector<double>{1, 0, 1});
  CHECK(values_of("torch.where(a > 1, a, -a)", {a.argument()}) == std::vector<double>{-1, 2, 3});
  CHECK(values_of("torch.where(a > 1, a, 0.5)", {a.argument()}) == std::vector<double>{0.5, 2, 3});
  CHECK(values_of("a.where(a > 2, a * 10)", {a.argument()}) == std::vector<double>{10, 20, 3});
}

TEST_CASE("In-place operations change the tensor and keep its dtype") {
  HostTensor a = make(DType::kBFloat16, {2}, {1, 2});
  const auto outputs = run_body("b = a\na += 1.5\na.mul_(2).sub_(1)\nreturn a, b", {a.argument()});
  CHECK(outputs.at(0).dtype == DType::kBFloat16);
  CHECK(outputs.at(0).values() == std::vector<double>{4, 6});
  CHECK(outputs.at(1).values() == std::vector<double>{4, 6});
  HostTensor c = make(DType::kFloat32, {4}, {-2, -1, 1, 2});
  CHECK(
      run_body("a.clamp_(-1, 1)\na.exp_()\na.zero_()\na.fill_(3)\nreturn a", {c.argument()}).at(0).values() ==
      std::vector<double>{3, 3, 3, 3});
}

TEST_CASE("Conversions between dtypes") {
  HostTensor a = make(DType::kFloat32, {4}, {-1.75, 0, 0.5, 300});
  CHECK(values_of("a.to(torch.int32)", {a.argument()}) == std::vector<double>{-1, 0, 0, 300});
  CHECK(values_of("a.bool()", {a.argument()}) == std::vector<double>{1, 0, 1, 1});
  CHECK(values_of("a.to(torch.float8_e4m3fn).float()", {a.argument()}) ==
        std::vector<double>{-1.75, 0, 0.5, 288});
  CHECK(values_of("a.to(torch.float8_e5m2).float()", {a.argument()}) ==
        std::vector<double>{-1.75, 0, 0.5, 320});
  CHECK(eval("a.half()", {a.argument()}).dtype == DType::kFloat16);
  CHECK(eval("a.to('cpu', torch.float64)", {a.argument()}).dtype == DType::kFloat64);
  CHECK(eval("a.to(device=a.device, dtype=torch.long)", {a.argument()}).dtype == DType::kInt64);
  CHECK(eval("a.type_as(a.int())", {a.argument()}).dtype == DType::kInt32);
  HostTensor big = make(DType::kInt64, {1}, {9007199254740992});
  CHECK(values_of("a + 1", {big.argument()}).at(0) == 9007199254740992 + 1.0);
  CHECK(values_of("(a + 1) - a", {big.argument()}).at(0) == 1);
}

TEST_CASE("Floats become uint8 by way of wider integers, and wrap around") {
  HostTensor x = make(DType::kFloat32, {6}, {-1.5, -1, 255.9, 256.5, 3.7, -300});
  CHECK(values_of("a.to(torch.uint8)", {x.argument()}) == std::vector<double>{255, 255, 255, 0, 3, 212});
  CHECK(values_of("a.double().to(torch.uint8)", {x.argument()}) ==
        std::vector<double>{255, 255, 255, 0, 3, 212});
}

}  // namespace
