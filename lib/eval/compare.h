#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tensor/dtype.h"

namespace fib::eval {

// When an output counts as right: an element matches when |got - expected| <= atol or the relative error
// |got - expected| / (|expected| + 1e-8) <= rtol; the share of matching elements must reach required_matched_ratio.
struct Tolerance {
  double atol = 1e-2;
  double rtol = 1e-2;
  double required_matched_ratio = 1;
};

// What one pass over an output found.
struct Comparison {
  std::size_t count = 0;
  std::size_t mismatched = 0;  // unwritten elements included
  std::size_t unwritten = 0;   // elements that still hold the poison
  double max_absolute_error = 0;
  double max_relative_error = 0;
  std::optional<std::size_t> first_bad;  // flat index
  std::string expected_text;             // of the first bad element
  std::string got_text;
  [[nodiscard]] double matched_ratio() const;  // 1 for an empty tensor
};

// Compares `count` elements of an output with the expected ones, with up to `threads` threads. Finite values, +inf,
// -inf and NaN must agree by position; integers and booleans must be equal; an element whose bits are the poison's and
// not the expected ones was never written. Non-finite disagreements make the errors infinite (inf) or NaN (NaN).
[[nodiscard]] Comparison compare(tensor::DType dtype, const void* got, const void* expected, std::size_t count,
                                 const Tolerance& tolerance, const void* poison_element, unsigned threads);

// One poison element made from random bits: NaN with a random payload for float64, float32, float16 and bfloat16;
// a byte that is no truth value for bool; random bits otherwise. The element's bytes come first.
[[nodiscard]] std::array<std::byte, 8> make_poison(tensor::DType dtype, std::uint64_t random);

// Repeats the element over `bytes` bytes (a multiple of element_bytes).
void fill_pattern(void* target, std::size_t bytes, const void* element, std::size_t element_bytes);

}  // namespace fib::eval
