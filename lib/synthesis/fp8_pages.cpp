#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "synthesis/scene.h"
#include "tensor/convert.h"
#include "tensor/random.h"
#include "util/error.h"

// A cache of keys as the DSA indexer wants it (FORMAT 2.1): each page holds the fp8 values of all its tokens,
// then their float32 scales; N(0,1) rounded to bfloat16, a token's scale its largest value (at least 1e-4) /
// 448.
namespace fib::synthesis {
namespace {

constexpr std::int64_t kScaleBytes = 4;
constexpr float kLargestFp8 = 448;
constexpr float kSmallestMaximum = 1e-4F;

std::int64_t as_element(std::uint8_t byte, bool is_signed) {
  return is_signed ? static_cast<std::int64_t>(static_cast<std::int8_t>(byte)) : byte;
}

// Adds a token's values to `bytes` and returns its scale.
float add_token(std::uint64_t key, std::uint64_t first, std::size_t values,
                std::vector<std::uint8_t>& bytes) {
  std::vector<float> token(values);
  float largest = kSmallestMaximum;
  for (std::size_t i = 0; i < values; ++i) {
    token[i] = tensor::bfloat16_to_float(tensor::float_to_bfloat16(tensor::random_float32(key, first + i)));
    largest = std::max(largest, std::abs(token[i]));
  }
  const float scale = largest / kLargestFp8;
  const float inverse = 1 / scale;
  for (const float value : token) {
    bytes.push_back(tensor::float_to_float8_e4m3fn(std::clamp(value * inverse, -kLargestFp8, kLargestFp8)));
  }
  return scale;
}

}  // namespace

Integers make_fp8_pages(Scene& scene, const model::TensorSpec& input) {
  const auto shape = scene.shape(input);
  if (shape.size() < 3 || shape.back() <= kScaleBytes) {
    throw Error("it is not [pages, tokens, ..., values + 4]");
  }
  std::int64_t tokens = 1;  // of a page
  for (std::size_t i = 1; i + 1 < shape.size(); ++i) tokens *= shape[i];
  const auto values = static_cast<std::size_t>(shape.back() - kScaleBytes);
  const std::uint64_t key = scene.draw(input).key();
  Integers elements;
  for (std::int64_t page = 0; page < shape[0]; ++page) {
    std::vector<std::uint8_t> bytes;
    std::vector<float> scales;
    for (std::int64_t token = 0; token < tokens; ++token) {
      const auto first = static_cast<std::uint64_t>(page * tokens + token) * values;
      scales.push_back(add_token(key, first, values, bytes));
    }
    for (const float scale : scales) {
      const auto bits = std::bit_cast<std::uint32_t>(scale);
      for (unsigned shift = 0; shift < 32; shift += 8)
        bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
    }
    for (const std::uint8_t byte : bytes) elements.push_back(as_element(byte, input.dtype == "int8"));
  }
  return elements;
}

}  // namespace fib::synthesis
