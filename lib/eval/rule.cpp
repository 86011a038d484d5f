#include "eval/rule.h"

#include <algorithm>
#include <array>
#include <optional>

#include "eval/dsa_attention.h"
#include "eval/dsa_indexer.h"
#include "eval/low_bit.h"
#include "eval/sampling.h"

namespace fib::eval {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"default", "low-bit", "sampling", "dsa-attention",
                                                    "dsa-indexer"};

}  // namespace

std::string_view name_of(Rule rule) { return kNames.at(static_cast<std::size_t>(rule)); }

Rule rule_of(const model::Definition& definition) {
  std::optional<Rule> found;
  const auto claim = [&](Rule rule, bool claims) {
    if (!claims) return;
    if (found) {
      throw Error("two rules of judging claim definition {}: {} and {}", definition.name, name_of(*found),
                  name_of(rule));
    }
    found = rule;
  };
  claim(Rule::kSampling, is_sampling(definition));
  claim(Rule::kLowBit, is_low_bit(definition.name));
  claim(Rule::kDsaAttention, is_dsa_attention(definition.name));
  claim(Rule::kDsaIndexer, is_dsa_indexer(definition.name));
  return found.value_or(Rule::kDefault);
}

double usual_matched_ratio(Rule rule, const model::Definition& definition) {
  return rule == Rule::kLowBit || definition.op_type == "moe" ? kLowBitMatchedRatio : 1;
}

std::size_t least_outputs(Rule rule, std::size_t outputs) {
  return rule == Rule::kDsaAttention ? std::min(kLeastDsaAttentionOutputs, outputs) : outputs;
}

bool needs_expected(Rule rule) { return rule != Rule::kSampling; }

}  // namespace fib::eval
