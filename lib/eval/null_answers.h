#pragma once

#include <array>
#include <cstddef>

#include "eval/layout.h"

// Answers of solutions that compute nothing, or not what was asked for. A workload that lets one of them pass
// tells little about a solution that passes.
namespace fib::eval {

enum class NullAnswer {
  kZeros,           // every element is 0
  kOnes,            // every element is 1
  kInputCopy,       // an input of the output's dtype and shape, the one that is most like the right output
  kConstantMean,    // one value everywhere: the mean of the right output, or its only value
  kFirstElement,    // right in the first element, 0 elsewhere
  kLowerPrecision,  // what the reference makes of inputs with fewer bits
};

inline constexpr std::array kAllNullAnswers = {NullAnswer::kZeros,        NullAnswer::kOnes,
                                               NullAnswer::kInputCopy,    NullAnswer::kConstantMean,
                                               NullAnswer::kFirstElement, NullAnswer::kLowerPrecision};

// Writes the answer to output `index` of a whole output buffer, and nothing else there. `inputs` is the
// call's input buffer, `expected` the reference's outputs, and `lowered` what it made of lower_precision()
// inputs; each may be null where the answer does not need it. Returns false, with `outputs` untouched, where
// there is no such answer: no input is like the output, what it needs is null, or lower precision changes no
// bit of the output. Pure but for `outputs`; any thread.
[[nodiscard]] bool write_null_answer(NullAnswer answer, const Layout& layout, std::size_t index,
                                     const std::byte* inputs, const std::byte* expected,
                                     const std::byte* lowered, std::byte* outputs);

// Rounds the floating point tensors of an input buffer to the significand of a smaller type, to nearest:
// float64 to that of float32, float32 to that of bfloat16 (8 bits), float16 and bfloat16 to that of
// float8_e4m3fn (4 bits). Exponents stay as they are, and so do smaller types, scalars and integers. Returns
// whether there was such a tensor.
bool lower_precision(const Layout& layout, std::byte* inputs);

}  // namespace fib::eval
