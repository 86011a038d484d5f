#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "model/definition.h"
#include "model/error_code.h"

// Which rule says whether the outputs of a definition's solutions are right: by op_type and name, as the
// format has it. Each rule has a file of its own that says what it is: evaluator.h (the default), low_bit.h,
// dsa_attention.h, dsa_indexer.h, sampling.h. rule.cpp has a row for each.
namespace fib::eval {

class HostEvaluator;
struct Layout;
struct Tolerance;

enum class Rule : std::uint8_t { kDefault, kLowBit, kSampling, kDsaAttention, kDsaIndexer };

[[nodiscard]] std::string_view name_of(Rule rule);  // "default", "low-bit", "sampling", ...

// Throws Error when two rules claim the definition.
[[nodiscard]] Rule rule_of(const model::Definition& definition);

// Of the elements of an output, the share that has to match where nobody says otherwise: 0.95 by the low-bit
// rule and for op_type "moe" (the format's bundled configuration), else 1.
[[nodiscard]] double usual_matched_ratio(Rule rule, const model::Definition& definition);

// Whether correctness.extra has the share that matched also where all elements have to match.
[[nodiscard]] bool records_matched_ratio(Rule rule);

// How many outputs a solution has to return at least, of `outputs`.
[[nodiscard]] std::size_t least_outputs(Rule rule, std::size_t outputs);

// Whether outputs are judged by what the reference made of the same inputs.
[[nodiscard]] bool needs_expected(Rule rule);

// Whether a right solution may choose others of several equal values than the reference.
[[nodiscard]] bool lets_ties_differ(Rule rule);

// The code of outputs that the rule finds wrong.
[[nodiscard]] model::ErrorCode error_code_of(Rule rule);

// What judges by the rule (host_evaluator.h); nothing for rules that compare element by element, which
// evaluator.h does. `seed` is any text, which decides the random numbers of the rule itself. Throws Error
// when the definition is not one that the rule fits.
[[nodiscard]] std::unique_ptr<HostEvaluator> make_host_evaluator(Rule rule,
                                                                 const model::Definition& definition,
                                                                 const Layout& layout,
                                                                 const Tolerance& tolerance,
                                                                 std::string_view seed, unsigned threads);

}  // namespace fib::eval
