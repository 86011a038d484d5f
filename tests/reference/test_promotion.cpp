#include <array>
#include <catch2/catch.hpp>

#include "ops/promote.h"
#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used

// As printed by torch.promote_types for every pair.
constexpr std::array<DType, 10> kOrder = {DType::kBool,    DType::kUInt8,  DType::kInt8,    DType::kInt16,
                                          DType::kInt32,   DType::kInt64,  DType::kFloat16, DType::kBFloat16,
                                          DType::kFloat32, DType::kFloat64};
constexpr std::array<std::string_view, 10> kPromoted = {
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64",
    "uint8 uint8 int16 int16 int32 int64 float16 bfloat16 float32 float64",
    "int8 int16 int8 int16 int32 int64 float16 bfloat16 float32 float64",
    "int16 int16 int16 int16 int32 int64 float16 bfloat16 float32 float64",
    "int32 int32 int32 int32 int32 int64 float16 bfloat16 float32 float64",
    "int64 int64 int64 int64 int64 int64 float16 bfloat16 float32 float64",
    "float16 float16 float16 float16 float16 float16 float16 float32 float32 float64",
    "bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 float32 bfloat16 float32 float64",
    "float32 float32 float32 float32 float32 float32 float32 float32 float32 float64",
    "float64 float64 float64 float64 float64 float64 float64 float64 float64 float64"};

TEST_CASE("Two dtypes promote as torch.promote_types says") {
  for (std::size_t i = 0; i < kOrder.size(); ++i) {
    std::string row;
    for (const DType other : kOrder) {
      row +=
          (row.empty() ? "" : " ") + std::string(fib::tensor::name_of(fib::ops::promote(kOrder[i], other)));
    }
    CHECK(row == kPromoted[i]);
  }
  CHECK_THROWS_AS(fib::ops::promote(DType::kFloat8E4M3FN, DType::kFloat32), fib::Error);
}

struct Case {
  const char* expression;
  DType expected;
};

TEST_CASE("Python numbers and tensors without dimensions promote by category only") {
  HostTensor bf16 = make(DType::kBFloat16, {2}, {1, 2});
  HostTensor i32 = make(DType::kInt32, {2}, {1, 2});
  HostTensor f32_0d = make(DType::kFloat32, {}, {1});
  HostTensor f64_0d = make(DType::kFloat64, {}, {1});
  HostTensor bools = make(DType::kBool, {2}, {1, 0});
  const std::vector<fib::reference::Argument> arguments = {bf16.argument(), i32.argument(), f32_0d.argument(),
                                                           f64_0d.argument(), bools.argument()};
  const std::vector<Case> cases = {{"a * 2.5", DType::kBFloat16},
                                   {"a * 2", DType::kBFloat16},
                                   {"a + True", DType::kBFloat16},
                                   {"b * 2", DType::kInt32},
                                   {"b * 2.5", DType::kFloat32},
                                   {"b + True", DType::kInt32},
                                   {"b / 2", DType::kFloat32},
                                   {"b // 2", DType::kInt32},
                                   {"a + b", DType::kBFloat16},
                                   {"a * c", DType::kBFloat16},
                                   {"a * d", DType::kBFloat16},
                                   {"b * c", DType::kFloat32},
                                   {"b * d", DType::kFloat64},
                                   {"c * 2.5", DType::kFloat32},
                                   {"d * 2.5", DType::kFloat64},
                                   {"c + d", DType::kFloat64},
                                   {"e + 1", DType::kInt64},
                                   {"e * 1.5", DType::kFloat32},
                                   {"e + e", DType::kBool},
                                   {"a < 1", DType::kBool},
                                   {"torch.sqrt(b)", DType::kFloat32},
                                   {"torch.abs(b)", DType::kInt32},
                                   {"b.sum()", DType::kInt64},
                                   {"e.sum()", DType::kInt64},
                                   {"a.sum()", DType::kBFloat16},
                                   {"b.float().mean()", DType::kFloat32},
                                   {"torch.where(e, b, 0.5)", DType::kFloat32},
                                   {"torch.cat([a, b])", DType::kBFloat16},
                                   {"torch.full((1,), 2)", DType::kInt64},
                                   {"torch.full((1,), 2.0)", DType::kFloat32},
                                   {"torch.arange(3)", DType::kInt64},
                                   {"torch.arange(3.0)", DType::kFloat32},
                                   {"torch.tensor([1, 2.5])", DType::kFloat32},
                                   {"torch.zeros(2)", DType::kFloat32},
                                   {"torch.maximum(a, a.float())", DType::kFloat32},
                                   {"b ** 2", DType::kInt32},
                                   {"b ** 0.5", DType::kFloat32}};
  for (const Case& c : cases) {
    INFO(c.expression);
    CHECK(fib::tensor::name_of(eval(c.expression, arguments).dtype) == fib::tensor::name_of(c.expected));
  }
}

TEST_CASE("Results that a tensor cannot hold are refused in place") {
  HostTensor i32 = make(DType::kInt32, {2}, {1, 2});
  const std::string source = "def run(a):\n    a += 0.5\n";
  CHECK(error_of(source, {i32.argument()}) ==
        "line 2: a result of dtype float32 cannot be stored in a tensor of int32");
}

// What torch 2.11 gives on the CPU: 0.1 and 0.7 are no numbers of bfloat16, and 0.1 rounds up.
TEST_CASE("Numbers are rounded to a tensor of 16 bits before they meet it, but not as factors and divisors") {
  HostTensor x = make(DType::kBFloat16, {4}, {0.10009765625, 0.69921875, 3, 0.3});
  const std::vector<fib::reference::Argument> args{x.argument()};
  using Values = std::vector<double>;
  CHECK(values_of("a == 0.1", args) == Values{1, 0, 0, 0});
  CHECK(values_of("a > 0.1", args) == Values{0, 1, 1, 1});
  CHECK(values_of("torch.tensor(0.7) == a", args) == Values{0, 1, 0, 0});
  CHECK(values_of("a - 0.1", args) == Values{0, 0.59765625, 2.90625, 0.201171875});
  CHECK(values_of("0.1 - a", args) == Values{0, -0.59765625, -2.90625, -0.201171875});
  CHECK(values_of("a % 0.1", args)[0] == 0);
  CHECK(run_body("a.sub_(0.1)\nreturn a", args).at(0).values()[0] == 0);
  HostTensor y = make(DType::kBFloat16, {1}, {4.6875});
  CHECK(values_of("a * 0.37", {y.argument()}) == Values{1.734375});  // with 0.37 rounded: 1.7265625
  CHECK(values_of("0.37 * a", {y.argument()}) == Values{1.734375});
  CHECK(values_of("torch.tensor(0.37) * a", {y.argument()}) == Values{1.7265625});
}

TEST_CASE("add and sub with alpha round small floats once") {
  HostTensor x = make(DType::kBFloat16, {2}, {1, 2});
  const std::vector<fib::reference::Argument> args{x.argument()};
  using Values = std::vector<double>;
  CHECK(values_of("torch.sub(a, a, alpha=0.7)", args) == Values{0.30078125, 0.6015625});
  CHECK(values_of("torch.add(a, a, alpha=0.7)", args) == Values{1.703125, 3.40625});
  CHECK(run_body("a.add_(a, alpha=0.7)\nreturn a", args).at(0).values() == Values{1.703125, 3.40625});
}

TEST_CASE("A number divided by a tensor is the reciprocal times the number") {
  HostTensor x = make(DType::kBFloat16, {1}, {3});
  HostTensor y = make(DType::kFloat32, {1}, {41});
  CHECK(values_of("7 / a", {x.argument()}) == std::vector<double>{2.34375});  // 7 / 3 rounds to 2.328125
  CHECK(values_of("41 / a", {y.argument()}) == std::vector<double>{0.999999940395355224609375});
}

}  // namespace
