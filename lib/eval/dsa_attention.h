#pragma once

#include <cstddef>

#include "model/definition.h"

// Rule of DeepSeek's sparse attention: as the default rule, but a solution that returns its outputs may
// return the first alone (the attention, without the logarithms of sums); what it does not return is not
// compared. The reference must return both.
namespace fib::eval {

inline constexpr std::size_t kLeastDsaAttentionOutputs = 1;

[[nodiscard]] inline bool is_dsa_attention(const model::Definition& definition) {
  return definition.name == "dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps1" ||
         definition.name == "dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps64";
}

}  // namespace fib::eval
