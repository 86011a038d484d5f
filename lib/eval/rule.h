#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/definition.h"

// Which rule says whether the outputs of a definition's solutions are right: by op_type and name, as the
// format has it. Each rule has a file of its own that says what it is: evaluator.h (the default), low_bit.h,
// dsa_attention.h, dsa_indexer.h, sampling.h.
namespace fib::eval {

enum class Rule : std::uint8_t { kDefault, kLowBit, kSampling, kDsaAttention, kDsaIndexer };

[[nodiscard]] std::string_view name_of(Rule rule);  // "default", "low-bit", "sampling", ...

// Throws Error when two rules claim the definition.
[[nodiscard]] Rule rule_of(const model::Definition& definition);

// Of the elements of an output, the share that has to match where nobody says otherwise: 0.95 by the low-bit
// rule and for op_type "moe" (the format's bundled configuration), else 1.
[[nodiscard]] double usual_matched_ratio(Rule rule, const model::Definition& definition);

// How many outputs a solution has to return at least, of `outputs`.
[[nodiscard]] std::size_t least_outputs(Rule rule, std::size_t outputs);

// Whether outputs are judged by what the reference made of the same inputs.
[[nodiscard]] bool needs_expected(Rule rule);

}  // namespace fib::eval
