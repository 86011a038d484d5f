#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tensor/dtype.h"

namespace fib::eval {

// Of relative errors, so that an expected 0 has one: |got - expected| / (|expected| + kRelativeFloor).
inline constexpr double kRelativeFloor = 1e-8;

// When an output counts as right: an element matches when |got - expected| <= atol or the relative error <=
// rtol; the share of matching elements must reach required_matched_ratio.
struct Tolerance {
  double atol = 1e-2;
  double rtol = 1e-2;
  double required_matched_ratio = 1;
  std::optional<double> max_error = std::nullopt;  // of any element, also where the ratio would let it pass
};

// What one pass over an output found.
struct Comparison {
  std::size_t count = 0;
  std::size_t mismatched = 0;  // unwritten elements included
  std::size_t unwritten = 0;   // elements that still hold the poison
  double max_absolute_error = 0;
  double max_relative_error = 0;
  // Flat index of the first element that was never written, where there are such, else of the first that does
  // not match.
  std::optional<std::size_t> first_bad;
  std::string expected_text;  // of that element
  std::string got_text;
  [[nodiscard]] double matched_ratio() const;  // 1 for an empty tensor
};

// Compares `count` contiguous elements of an output with the expected ones, with up to `threads` threads.
// Both must be aligned to an element and must not change meanwhile; `poison_element` is one element from
// make_poison.
//
// Floats: finite values, +inf, -inf and NaN must agree by position, and finite ones must match as Tolerance
// says, in float32 (float64: in double). Integers and booleans must be equal. Errors are the largest over
// pairs of finite values; where classes disagree they are infinite, or NaN if a NaN is involved. Elements
// that were never written have no error.
//
// An element whose bits are the poison's and not the expected ones was never written, and counts as
// mismatched too. For dtypes whose poison could be a result (integers and floats of 8 or 4 bits), that is
// said only of whole groups of 8 bytes that hold nothing but poison: a lone coincidence is an ordinary
// mismatch.
[[nodiscard]] Comparison compare(tensor::DType dtype, const void* got, const void* expected,
                                 std::size_t count, const Tolerance& tolerance, const void* poison_element,
                                 unsigned threads);

// The bits of element `index` of a tensor at `base`, low byte first; of float4_e2m1 the low four.
[[nodiscard]] std::uint64_t element_bits(tensor::DType dtype, const std::byte* base, std::size_t index);

// The largest error as Comparison has it, from the one over pairs of finite values and from whether classes
// disagree somewhere.
[[nodiscard]] double with_disagreement(double error, bool nan_disagrees, bool infinity_disagrees);

// One element for a message: "0.1", "true", "-inf". `element` holds its bits, low byte first; for float4_e2m1
// the low four bits.
[[nodiscard]] std::string element_text(tensor::DType dtype, std::uint64_t element);

// One poison element made from random bits: for float64, float32, float16 and bfloat16 a signalling NaN with
// a random sign and payload, which no arithmetic gives; for bool a byte that is no truth value; for the
// others random bits. The element's bytes come first, the rest is 0; float4_e2m1 has the same code in both
// halves of its byte.
[[nodiscard]] std::array<std::byte, 8> make_poison(tensor::DType dtype, std::uint64_t random);

// Repeats the element over `bytes` bytes. `element_bytes` must not be 0; what does not fit at the end is cut
// off.
void fill_pattern(void* target, std::size_t bytes, const void* element, std::size_t element_bytes);

// How many of `count` elements were never written, for rules that expect no particular values: those of whole
// stretches of eight bytes (all of a smaller output of four bytes and more) that hold nothing but poison.
// Only stretches are sure, since an integer may have any bits; a lone unwritten one is a random value to the
// rule.
[[nodiscard]] std::size_t count_unwritten(tensor::DType dtype, const std::byte* got, std::size_t count,
                                          const void* poison_element);

// For a message about a value that cannot be right: ", as if it was never written" where element `index` has
// the bits of the poison, else nothing.
[[nodiscard]] std::string unwritten_remark(tensor::DType dtype, const std::byte* got, std::size_t index,
                                           const std::byte* poison_element);

}  // namespace fib::eval
