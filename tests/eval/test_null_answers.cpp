#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "eval/null_answers.h"

using namespace fib;
using eval::NullAnswer;
using tensor::DType;

namespace {

eval::Layout layout_of(DType input, DType output, std::int64_t inputs, std::int64_t outputs) {
  const auto slot = [](const char* name, DType dtype, std::int64_t count) {
    return eval::Slot{name,    dtype, false,
                      {count}, 0,     tensor::bytes_of(dtype, static_cast<std::size_t>(count))};
  };
  eval::Layout layout;
  layout.inputs = {slot("x", input, inputs)};
  layout.outputs = {slot("y", output, outputs)};
  layout.input_bytes = layout.inputs[0].bytes;
  layout.output_bytes = layout.outputs[0].bytes;
  return layout;
}

template <typename T>
const std::byte* bytes(const std::vector<T>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}
template <typename T>
std::byte* bytes(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

std::vector<float> answer_of(NullAnswer answer, const std::vector<float>& input,
                             const std::vector<float>& expected) {
  const auto layout = layout_of(DType::kFloat32, DType::kFloat32, static_cast<std::int64_t>(input.size()),
                                static_cast<std::int64_t>(expected.size()));
  std::vector<float> output(expected.size(), -7);
  if (!write_null_answer(answer, layout, 0, bytes(input), bytes(expected), nullptr, bytes(output))) return {};
  return output;
}

}  // namespace

TEST_CASE("null answers are what their names say") {
  const std::vector<float> input = {5, 6, 7};
  const std::vector<float> expected = {1, 2, 6};
  CHECK(answer_of(NullAnswer::kZeros, input, expected) == std::vector<float>{0, 0, 0});
  CHECK(answer_of(NullAnswer::kOnes, input, expected) == std::vector<float>{1, 1, 1});
  CHECK(answer_of(NullAnswer::kInputCopy, input, expected) == input);
  CHECK(answer_of(NullAnswer::kConstantMean, input, expected) == std::vector<float>{3, 3, 3});
  CHECK(answer_of(NullAnswer::kFirstElement, input, expected) == std::vector<float>{1, 0, 0});
}

TEST_CASE("an answer that a layout does not have is not written") {
  CHECK(answer_of(NullAnswer::kInputCopy, {1, 2}, {1, 2, 3}).empty());
  CHECK(answer_of(NullAnswer::kLowerPrecision, {1, 2}, {1, 2}).empty());
  const auto layout = layout_of(DType::kFloat32, DType::kFloat32, 1, 1);
  float output = -7;
  CHECK_FALSE(write_null_answer(NullAnswer::kConstantMean, layout, 0, nullptr, nullptr, nullptr,
                                reinterpret_cast<std::byte*>(&output)));
  CHECK(output == -7);
}

TEST_CASE("the mean is that of finite elements, and of whole numbers a whole number") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(answer_of(NullAnswer::kConstantMean, {}, {infinity, 2, std::nanf(""), 4}) ==
        std::vector<float>{3, 3, 3, 3});
  const auto layout = layout_of(DType::kFloat32, DType::kInt32, 1, 2);
  const std::vector<std::int32_t> expected = {1, 4};
  std::vector<std::int32_t> output(2);
  CHECK(write_null_answer(NullAnswer::kConstantMean, layout, 0, nullptr, bytes(expected), nullptr,
                          bytes(output)));
  CHECK(output == std::vector<std::int32_t>{3, 3});
}

TEST_CASE("answers fill outputs of any size, and two elements in a byte") {
  const std::vector<float> many(10'001, 3);
  CHECK(answer_of(NullAnswer::kConstantMean, {}, many) == many);
  const auto layout = layout_of(DType::kFloat32, DType::kFloat4E2M1, 1, 4);
  const std::vector<std::uint8_t> expected = {0x35, 0x77};
  std::vector<std::uint8_t> output(2, 0xff);
  CHECK(write_null_answer(NullAnswer::kFirstElement, layout, 0, nullptr, bytes(expected), nullptr,
                          bytes(output)));
  CHECK(output == std::vector<std::uint8_t>{0x05, 0x00});
}

TEST_CASE("lower precision rounds the significand to nearest and keeps what is no number") {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = {1, 1.003F, 1.005F, -1.005F, 0, infinity, std::nanf("")};
  CHECK(lower_precision(layout_of(DType::kFloat32, DType::kFloat32, 7, 1), bytes(values)));
  CHECK(values[0] == 1);
  CHECK(values[1] == 1);
  CHECK(values[2] == 1.0078125F);
  CHECK(values[3] == -1.0078125F);
  CHECK(values[4] == 0);
  CHECK(values[5] == infinity);
  CHECK(std::isnan(values[6]));
  std::vector<std::uint16_t> halves = {0x3c00, 0x3c3f, 0x3c41, 0x7c00};  // 1, below and above 1 + 1/16, inf
  CHECK(lower_precision(layout_of(DType::kFloat16, DType::kFloat32, 4, 1), bytes(halves)));
  CHECK(halves == std::vector<std::uint16_t>{0x3c00, 0x3c00, 0x3c80, 0x7c00});
}

TEST_CASE("types without a smaller one are not lowered") {
  std::vector<std::int32_t> whole = {1, 2};
  CHECK_FALSE(lower_precision(layout_of(DType::kInt32, DType::kInt32, 2, 1), bytes(whole)));
  std::vector<std::uint8_t> small = {0x3f, 0x41};
  CHECK_FALSE(lower_precision(layout_of(DType::kFloat8E4M3FN, DType::kInt32, 2, 1), bytes(small)));
  CHECK(small == std::vector<std::uint8_t>{0x3f, 0x41});
}

TEST_CASE("a constant output is written as it is, whatever its value") {
  const float nan = std::nanf("");
  const std::vector<float> infinite(5, std::numeric_limits<float>::infinity());
  CHECK(answer_of(NullAnswer::kConstantMean, {}, infinite) == infinite);
  CHECK(std::isnan(answer_of(NullAnswer::kConstantMean, {}, {nan, nan}).at(1)));
  const auto layout = layout_of(DType::kFloat32, DType::kInt64, 1, 2);
  const std::vector<std::int64_t> large(2, 9007199254740993);  // no double
  std::vector<std::int64_t> output(2);
  CHECK(
      write_null_answer(NullAnswer::kConstantMean, layout, 0, nullptr, bytes(large), nullptr, bytes(output)));
  CHECK(output == large);
}

TEST_CASE(
    "the input that is most like the right output is copied, and lower precision has to change something") {
  auto layout = layout_of(DType::kFloat32, DType::kFloat32, 2, 2);
  layout.inputs.push_back(layout.inputs[0]);
  layout.inputs[1].offset = 256;
  std::vector<float> inputs(128);
  inputs[0] = 1;
  inputs[64] = 5;
  inputs[65] = 6;
  const std::vector<float> expected = {5, 7};
  std::vector<float> output(2);
  CHECK(write_null_answer(NullAnswer::kInputCopy, layout, 0, bytes(inputs), bytes(expected), nullptr,
                          bytes(output)));
  CHECK(output == std::vector<float>{5, 6});
  CHECK_FALSE(write_null_answer(NullAnswer::kLowerPrecision, layout, 0, bytes(inputs), bytes(expected),
                                bytes(expected), bytes(output)));
  const std::vector<float> lowered = {5, 8};
  CHECK(write_null_answer(NullAnswer::kLowerPrecision, layout, 0, bytes(inputs), bytes(expected),
                          bytes(lowered), bytes(output)));
  CHECK(output == lowered);
}
