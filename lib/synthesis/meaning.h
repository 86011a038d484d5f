#pragma once

#include <optional>
#include <string>

#include "model/definition.h"

namespace fib::synthesis {

// What the integers of an input mean, and so how they are made (integers.h).
enum class Meaning {
  offsets,            // where sequences begin, and where the last one ends: kv_indptr, cu_seqlens
  page_indices,       // the pages of all sequences, one after the other: kv_indices
  last_page_lengths,  // tokens in the last page of each sequence
  block_table,        // one row of pages a sequence
  sparse_indices,     // one row of tokens of a cache, -1 where the description speaks of it
  lengths,            // of sequences
  positions,          // of tokens in their sequences
  state_indices,      // slots of a cache of states or tokens, none twice
  expert_offset,      // the first local expert
  expert_indices,     // one row of distinct experts a token
  packed_experts,     // the same: expert << 16 | bits of a bfloat16 weight
  top_k,              // how many of a vocabulary
  tokens,             // of a vocabulary
  mask,               // bool
  bytes,              // 8 bit numbers: the format's random rules are right, also for pages of fp8 keys
};

// The meaning of one input of `definition`: first by what constraints say of it, then by its name, then by
// its description. Nothing for floats, and for integers that nothing is known of.
[[nodiscard]] std::optional<Meaning> meaning_of(const model::Definition& definition,
                                                const model::TensorSpec& input);

// Whether its elements are integers or bool.
[[nodiscard]] bool is_integer(const model::TensorSpec& input);

// Whether random integers of the format (in [-1024, 1023]) would be nonsense there.
[[nodiscard]] bool is_structural(Meaning meaning);

// A constraint `end == input[-1].item()`: the value of `end` where all its axes are in `axes`; nothing when
// no constraint says so.
[[nodiscard]] std::optional<std::int64_t> last_element(const model::Definition& definition,
                                                       const std::string& input,
                                                       const model::AxisValues& axes);

}  // namespace fib::synthesis
