#pragma once

#include <memory>

#include "eval/host_evaluator.h"
#include "model/definition.h"

// Rule of DeepSeek's top-k indexer: the output holds, for each row (sequence), the indices of the tokens with
// the highest scores, in any order, -1 where there are fewer tokens than places. Ties and rounding make many
// answers right, so scores are compared, not indices.
//
// Token `slot * page_size + offset` of row b, below seq_lens[b], has the index block_table[b, slot] *
// page_size + offset, and the score sum over heads h of weights[b, h] * max(0, q[b, h] . k) with q of
// q_index_fp8 and k of k_index_cache_fp8 (per page: page_size rows of head_dim float8_e4m3fn, then page_size
// float32 scales), in float32. The judge computes the scores of the solution's indices and of the reference's
// from the inputs.
//
//   * An index must be -1, or that of a token of its row ("out-of-range indices"). No index may occur more
//     often than tokens have it, which is once unless the block table names a page twice ("duplicate
//     indices").
//   * Both lists of scores, -1 counting as -inf, sorted, must match place by place: where both are -inf they
//     do; where one is, they do not; else as the default rule says of elements, the share of places that
//     match included.
//
// correctness: the largest errors over pairs of finite scores, infinite where an index is wrong or one side
// has more tokens.
namespace fib::eval {

[[nodiscard]] inline bool is_dsa_indexer(const model::Definition& definition) {
  return definition.name.starts_with("dsa_topk_indexer");
}

// Throws Error when inputs or outputs are not those named above: q_index_fp8 [rows, heads, head_dim],
// k_index_cache_fp8 [pages, page_size, 1, head_dim + 4] of bytes, weights [rows, heads], seq_lens [rows],
// block_table [rows, slots], one output [rows, places] of int32.
[[nodiscard]] std::unique_ptr<HostEvaluator> make_dsa_indexer_evaluator(const Layout& layout,
                                                                        const Tolerance& tolerance,
                                                                        unsigned threads);

}  // namespace fib::eval
