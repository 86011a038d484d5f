#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "eval/layout.h"
#include "model/definition.h"

// How far the outputs of two engines are apart that ran one reference on the same inputs: for fib validate.
namespace fib::eval {

// When two engines agree on an output. NaN, +inf and -inf have to stand at the same places in all floats.
enum class Agreement : std::uint8_t {
  // Sums in any order: every element is at most 2 ulps or 1e-3 away, both measured at its own size or at the
  // root mean square of its row (the last dimension) where that is larger, so that sums that cancel count as
  // what they are sums of.
  kClose,
  // Element by element, and norms: every float is at most 2 ulps away, everything else is equal.
  kExact,
  // Indices by rank (topk_indices): every row has the same ones, in any order.
  kRanks,
  // Random draws: nothing can be said of one element.
  kDraws,
};

// The rule for an output, from op_type ("rmsnorm" and "rope" are exact), the output's name and dtype, and
// whether the reference calls one of torch's random functions: kDraws then.
[[nodiscard]] Agreement agreement_of(const model::Definition& definition, std::string_view output);

// Whether Python code calls one of torch's random functions; comments do not count.
[[nodiscard]] bool draws_randomly(std::string_view source);

// What one pass over an output found. Maxima are over pairs of finite values; of kRanks and kDraws they are
// 0.
struct OutputDifference {
  Agreement rule = Agreement::kClose;
  std::uint64_t count = 0;        // elements
  std::uint64_t differing = 0;    // that the rule does not let pass, those of another class included
  std::uint64_t other_class = 0;  // finite on one side only, or not the same of NaN, +inf and -inf
  double ulps = 0;      // steps of the dtype between the two, as the rule measures them; 0 for integers
  double relative = 0;  // |got - expected| by the size of the expected one, as the rule measures it
  double absolute = 0;
  // Of the first differing element, where there is one: flat index, and both values for a message.
  std::uint64_t first = 0;
  std::string got_text;
  std::string expected_text;

  [[nodiscard]] bool agrees() const { return differing == 0; }
};

// Compares the contiguous elements of an output; `expected` is what sizes are taken from. Up to `threads`
// threads. Throws Error when the output is too large (Slot::count).
[[nodiscard]] OutputDifference difference(const Slot& output, Agreement rule, const std::byte* got,
                                          const std::byte* expected, unsigned threads);

// Two findings of one output in one: the largest errors, and the positions of the first that differs.
[[nodiscard]] OutputDifference worst_of(OutputDifference first, const OutputDifference& second);

// "C[3, 17]" from a flat index; "C" where there are no dimensions.
[[nodiscard]] std::string element_name(const std::string& output, const std::vector<std::int64_t>& shape,
                                       std::uint64_t flat);

}  // namespace fib::eval
