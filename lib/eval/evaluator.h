#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "eval/compare.h"
#include "eval/layout.h"

namespace fib::eval {

// The larger of two errors; NaN wins over everything, as "no number at all" is worse than any number.
[[nodiscard]] double worse(double a, double b);

using PoisonElement = std::array<std::byte, 8>;

// Fills every output of the buffer with its poison; one element an output.
void fill_poison(const Layout& layout, const std::vector<PoisonElement>& elements, std::byte* outputs);

// The default rule: every output agrees with the expected one within the tolerance, and none has elements
// that were never written. `got` and `expected` are whole output buffers; `poison` has one element an output.
// The first `outputs` outputs are judged. The explanation names the first output that fails.
[[nodiscard]] Judgement judge_outputs(const Layout& layout, const std::byte* got, const std::byte* expected,
                                      const std::vector<PoisonElement>& poison, const Tolerance& tolerance,
                                      std::size_t outputs, unsigned threads);

// The same from comparisons that were made elsewhere, one for each output that is judged, in order. No
// element is named where they match but for errors above Tolerance::max_error: look_closer() knows which
// these are.
[[nodiscard]] Judgement judge_comparisons(const Layout& layout, const std::vector<Comparison>& comparisons,
                                          const Tolerance& tolerance);

// Looks at the output that the judgement's mismatch is of, where it has one: names an element that is wrong
// for the reason given, and adds the pattern of such elements. `got` and `expected` are whole output buffers.
// Takes up to half a second and what two comparisons take.
void look_closer(Judgement& judgement, const Layout& layout, const std::byte* got, const std::byte* expected,
                 const std::vector<PoisonElement>& poison, const Tolerance& tolerance, unsigned threads);

// Whether an output that compares so is right: it has no unwritten elements, enough match, and no error is
// too large. Pure.
[[nodiscard]] bool is_right(const Comparison& comparison, const Tolerance& tolerance);

// No element of zeros is one of these, whatever its dtype.
inline constexpr PoisonElement kNoZero = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                          std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};

// Why a claim about the outputs does not fit the layout: the status it deserves and the sentence for the log.
struct ClaimProblem {
  bool shape = false;  // else the dtype
  std::string text;
};

// Compares what a worker says about its outputs with what was asked for; nothing when it fits. There must be
// at least `least` outputs, the layout's first ones; without a number, all.
[[nodiscard]] std::optional<ClaimProblem> check_claims(const Layout& layout,
                                                       const std::vector<OutputClaim>& claims,
                                                       std::optional<std::size_t> least = std::nullopt);

}  // namespace fib::eval
